"""WAI: the reviewer's own file."""

from compliance.reviewing.waiver import read_waivers
from tests.compliance.families.damages import damage


def waived(code, expires=""):
    """A damage: there is a waiver of a finding that nothing has."""

    @damage
    def entry(tree):
        text = f"- {{organisation: acme, code: SEED03, path: result_1.txt, reason: agreed, reviewer: r{expires}}}\n"
        file = tree.put(tree.root.parents[1] / "waivers.yaml", text)
        tree.options = {"waivers": read_waivers(file, [tree.root])}
        return [("waivers.yaml", 1, code)]

    return entry


waiver_of_nothing = waived("WAI01")
waiver_that_has_expired = waived("WAI02", ", expires: 2020-11-21")
