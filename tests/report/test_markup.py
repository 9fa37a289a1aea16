import re

from bayes_distnet.report.markup import Number, latex, latex_text, markdown


def test_text_for_latex_is_escaped():
    assert latex_text(r"a_b & 5 % {x} \ ~^") == (
        r"a\_b \& 5 \% \{x\} \textbackslash{} \textasciitilde{}\textasciicircum{}"
    )


def test_numbers_have_deviations_bold_means_and_daggers():
    row = ["a", Number("−1.5", "0.2", best=True), Number("2.0", partial=True), Number("")]
    assert markdown("abcd", [row], 1, "").splitlines()[2] == "| a | **−1.5** ± 0.2 | 2.0† | – |"
    assert r"a & $\mathbf{{-}1.5} \pm 0.2$ & $2.0^\dagger$ & -- \\" in latex("abcd", [row], 1, "")


def test_latex_starts_a_group_with_a_rule_and_names_it_once():
    text = latex(["x", "y", "z"], [["1", "a", "0"], ["1", "b", "0"], ["2", "b", "0"]], 2, "")
    body = re.search(r"\\midrule\n(.*)\n\\bottomrule", text, re.DOTALL)[1]
    assert body.splitlines() == [r"1 & a & 0 \\", r" & b & 0 \\", r"\midrule", r"2 & b & 0 \\"]
