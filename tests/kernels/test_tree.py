"""Trees: what is read, what is written, what is refused, and how deep they may be."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certo.kernels import Tree

DEEP = 20_000

labels = st.text(min_size=1, max_size=4)
trees = st.recursive(
    st.builds(Tree, labels),
    lambda below: st.builds(Tree, labels, st.lists(below, max_size=3)),
    max_leaves=8,
)


def nested(tree):
    return (tree.label, *(nested(child) for child in tree.children))


@given(trees)
def test_parsing_inverts_writing(tree):
    assert Tree.parse(str(tree)) == tree == Tree.of(nested(tree))
    assert hash(Tree.parse(str(tree))) == hash(tree)
    assert eval(repr(tree)) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree == copy.deepcopy(tree)


@given(trees, trees)
def test_trees_are_equal_if_they_look_the_same(a, b):
    assert (a == b) == (nested(a) == nested(b)) == (str(a) == str(b))
    assert a != str(a)


@given(trees)
def test_every_node_comes_after_its_children(tree):
    nodes = list(tree.nodes())
    assert len(nodes) == tree.size
    assert nodes[-1] is tree
    seen = set()
    for node in nodes:
        assert all(id(child) in seen for child in node.children)
        seen.add(id(node))


def test_all_the_ways_to_write_a_parse():
    tree = Tree("S", [Tree("NP", [Tree("you")]), Tree("VP", [Tree("know")])])
    texts = ["(S (NP you) (VP know))", "( (S (NP you) (VP know)))", "(S(NP(you))(VP(know)))"]
    assert all(Tree.parse(text) == tree for text in [*texts, "\n( S\t(NP you)\n (VP know ) )\n"])
    assert Tree.of(("S", ["NP", "you"], Tree("VP", [Tree("know")]))) == tree
    assert Tree.of(texts[0]) == Tree.of(tree) == tree
    assert Tree.parse("(you)") == Tree("you") == Tree.of(("you",))
    assert Tree.parse(r"(CD 1\/2 \(\ \))").children == (Tree("1/2"), Tree("( )"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(S (NP you)", "1 more .* never closed is at position 0, the last at position 0"),
        ("(S (NP you (VP know", "3 more .* at position 0, the last at position 11"),
        ("(S (NP you)) (VP know)", "must hold one tree.* another one begins at position 13"),
        ("(S (NP you)))", r"at position 12 is a '\)' that closes nothing"),
        ("(S (NP you)) and", "at position 13 is 'and'"),
        ("who are you", "must begin with '\\(', but at position 0 is 'who'"),
        ("", "there is none"),
        ("()", "label is expected after the '\\(' at position 0"),
        ("(S ())", "label is expected after the '\\(' at position 3"),
        ("((S you) (S know))", "label is expected after the '\\(' at position 0"),
        ("(S ((NP you)))", "label is expected after the '\\(' at position 3"),
    ],
)
def test_text_that_is_no_tree(text, message):
    with pytest.raises(ValueError, match=message):
        Tree.parse(text)


@pytest.mark.parametrize("x", [None, 3, (), ("S", None), ("S", ()), (1, "a"), {"S": 1}, ("", "a")])
def test_invalid_values_are_refused(x):
    with pytest.raises(ValueError, match="tree"):
        Tree.of(x)


def test_invalid_texts_are_refused():
    endless = ["a"]
    endless.append(["b", endless])
    with pytest.raises(ValueError, match="a list inside itself"):
        Tree.of(endless)
    twice = ["b", "c"]
    assert str(Tree.of(["a", twice, ["d", twice], twice])) == "(a (b c) (d (b c)) (b c))"
    with pytest.raises(ValueError, match=r"must be a sequence of trees, .* got NoneType"):
        Tree("a", None)
    with pytest.raises(ValueError, match=r"Tree.parse reads text, .* got int '3'"):
        Tree.parse(3)


def test_a_tree_stays_as_it_is():
    tree = Tree("a")
    with pytest.raises(AttributeError, match="cannot assign to field 'label'"):
        tree.label = "b"
    with pytest.raises(AttributeError):
        del tree.label
    for bad in [("a", ["b"]), (3,), ("",)]:
        with pytest.raises(ValueError, match="tree"):
            Tree(*bad)


@pytest.mark.slow
def test_trees_may_be_deeper_than_the_stack():
    text = "(a " * DEEP + "b" + ")" * DEEP
    tree, again = Tree.parse(text), ("a", "b")
    for _ in range(DEEP - 1):
        again = ("a", again)
    assert tree.size == DEEP + 1
    assert str(tree) == text
    assert Tree.of(again) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree
