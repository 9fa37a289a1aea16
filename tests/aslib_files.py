"""A small ASlib scenario, shared by the tests."""

DESCRIPTION = """\
algorithm_cutoff_memory: '?'
algorithm_cutoff_time: 100
default_steps:
- Static
feature_steps:
  Static:
    provides:
    - size
    - ratio
  Probing:
    provides:
    - depth
    - ratio
    requires:
    - Static
metainfo_algorithms:
  clasp/2.1.3:
    configuration: '--restarts: 7
      --deletion: no'
    deterministic: true
performance_measures:
- runtime
performance_type:
- runtime
scenario_id: TINY
"""
IDS = "@RELATION r\n\n@ATTRIBUTE instance_id STRING\n@ATTRIBUTE repetition NUMERIC\n"
STATUSES = "{ok, timeout, memout, not_applicable, crash, other}"


def runs_arff(*rows, measure="runtime"):
    head = f"@ATTRIBUTE algorithm STRING\n@ATTRIBUTE {measure} NUMERIC\n@ATTRIBUTE runstatus {STATUSES}\n\n@DATA\n"
    return IDS + head + "\n".join(rows)


def table_arff(columns, *rows, kind="NUMERIC"):
    return IDS + "".join(f"@ATTRIBUTE {c} {kind}\n" for c in columns) + "@DATA\n" + "\n".join(rows)


FEATURES = table_arff(["size", "depth", "ratio"], "a.cnf,1,10,3,0.5", "b.cnf,1,20,4,0.25")
RUNS = runs_arff("a.cnf,1,x,1.5,ok", "b.cnf,1,x,100,timeout")


def scenario(folder, **files):
    """Write a scenario of two instances; a keyword gives a file's text instead (None: no such file)."""
    texts = {"description": DESCRIPTION, "algorithm_runs": RUNS, "feature_values": FEATURES} | files
    for name, text in texts.items():
        if text is not None:
            (folder / (name + (".txt" if name == "description" else ".arff"))).write_text(text)
    return folder
