"""Charts as data, and two ways to draw them: as SVG on the page, and by Matplotlib for papers.

A chart is made once (`level_charts`, `curve_charts`, `decision_charts`); `svg` and `paper` only draw it.
"""
