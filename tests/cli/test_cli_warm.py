"""`querykin warm` compiles beforehand."""


def test_everything_is_compiled_once(querykin):
    done = querykin("warm")
    assert (done.code, done.out, done.err) == (0, "", "everything is compiled already\n")
    assert querykin("warm", "--quiet").err == ""
