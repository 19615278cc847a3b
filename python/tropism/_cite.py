"""The references of what was used in this session."""

REFERENCES = {
    "afz": "Alcalde, Fantuzzi, Zuazua: hardmax self-attention. arXiv:2407.01602",
    "fw": "Alcalde, Geshkovski, Ruiz-Balet: attention as Frank-Wolfe. arXiv:2508.09628",
    "lm": "Cimetière, Chiri, Gharesifard: localmax. arXiv:2509.15958",
    "sphere": "Geshkovski, Letrouit, Polyanskiy, Rigollet: the sphere. arXiv:2312.10794",
    "mm": "Ataee Tarzanagh, Li, Zhang, Oymak: max-margin token selection. arXiv:2306.13596",
    "tf": "Ataee Tarzanagh, Li, Thrampoulidis, Oymak: transformers as SVMs. arXiv:2308.16898",
    "md": "Julistiono, Ataee Tarzanagh, Azizan: l_p mirror descent. arXiv:2410.14581",
}

used = set()


def note(verb, settings):
    """Remembers what a call stands on."""
    if verb in ("flow", "cells", "threshold", "escape"):
        used.add("afz")
    if settings.get("rule") == "localmax" or verb == "threshold":
        used.add("lm")
    if settings.get("rule", "softmax") == "softmax" and verb in ("flow", "escape"):
        used.add("fw")
    if settings.get("dynamics") in ("sa", "usa", "sa-step"):
        used.add("sphere")
    if verb in ("margin", "train", "path"):
        used.update(("mm", "tf"))
    if settings.get("optimizer") in ("mirror", "nmirror") or "p" in settings:
        used.add("md")


def cite():
    """Prints the references of what was used in this session, and returns them."""
    found = ["tropism: how attention selects tokens (cite its version too: tropism.__version__)"]
    found += [REFERENCES[key] for key in REFERENCES if key in used]
    print("\n".join(found))
    return found
