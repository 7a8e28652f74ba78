from rules.names import folded, same_name


def test_names_are_the_same_to_people():
    assert {folded(name) for name in ("AC-ME", "a.c_m e", " acme+")} == {"acme"}
    assert same_name("AC-ME", "acme")
    assert not any(same_name(name, "acme") for name in ("acme2", "", None, 5))
    assert not same_name("富岳", "京")
    assert same_name("STRASSE", "straße")
    one, other = "Köln", "Ko\u0308ln"
    assert one != other and same_name(one, other) and not same_name(other, "Koln")
