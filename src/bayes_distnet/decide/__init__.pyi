from .law_table import LawTable as LawTable
