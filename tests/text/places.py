"""Places of characters in bytes that need not be UTF-8, for the scripts that record what tokenizers do."""


def starts(raw):
    """The byte at which each character of raw.decode(errors='replace') begins, and the end."""
    places, at = [], 0
    for character in raw.decode(errors="replace"):
        places.append(at)
        size = len(character.encode())
        if raw[at:at + size] == character.encode():
            at += size
        else:  # a broken part: the shortest one whose rest decodes to the rest
            text = raw[at:].decode(errors="replace")
            at += next(n for n in (1, 2, 3) if raw[at + n:].decode(errors="replace") == text[1:] and
                       raw[at:at + n].decode(errors="replace") == "\ufffd")
    return places + [len(raw)]
