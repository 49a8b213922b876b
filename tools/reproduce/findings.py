# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is known about the claims that do not hold: written by hand in findings.json, one paragraph each."""


def key(target_id, number):
    """Of a claim: its target and its place there, from 1."""
    return f"{target_id}#{number}"


def of_target(target, findings):
    """[(number, finding or None)] of the claims that fail."""
    return [(number, findings.get(key(target["id"], number)))
            for number, row in enumerate(target["checks"], 1) if row["verdict"] == "FAIL"]


def complaints(targets, findings):
    """Failing claims that nothing is said about, and words about claims that do not fail."""
    verdicts = {key(target["id"], number): row["verdict"] for target in targets if not target.get("quick")
                for number, row in enumerate(target["checks"], 1)}
    known = {target["id"] for target in targets}
    out = [f"{name} fails, and findings.json does not say why"
           for name, verdict in verdicts.items() if verdict == "FAIL" and name not in findings]
    out += [f"{name} does not fail ({verdicts[name]}), and findings.json says why it does"
            for name in findings if verdicts.get(name, "FAIL") != "FAIL"]
    out += [f"findings.json speaks of {name}, which does not exist" for name in findings
            if name not in verdicts and name.split("#")[0] in known
            and not any(target.get("quick") for target in targets)]
    return out


def paragraph(number, finding, conclusion=""):
    """What the paper says, in its own words, what was tried, and why: what it leaves open where that decides."""
    if finding is None:
        return f"**Claim {number}: not explained yet.**"
    says = f'The paper: "{finding["says"]}". ' if "says" in finding else ""
    why = "What this leaves open" if conclusion == "underdetermined" else "Likely cause"
    return f"**Claim {number}.** {says}{finding['text']} *{why}: {finding['cause']}.*"
