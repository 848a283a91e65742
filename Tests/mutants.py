"""Inputs made of seeds by chance, and yet the same bytes on every machine.

A fuzzer that is led by coverage is not: what it takes up next depends on addresses and on the compiler, so its slice is
one on this machine and another on that. Here chance comes from a generator whose numbers Python has promised, and what
the program does with an input leads to nothing.
"""
import random
import re

BYTES = b"\0\t\n\r \"'()*,-./0129:;<=>?@AZ[\\]_`az{}~\x7f\x80\xbf\xc3\xe2\xed\xf0\xff"
OLDEST = 64        # how many of its own inputs are taken up again


class Mutants:
    """An endless row of inputs, none empty and none longer than `longest`, from `seeds` and the words of a dictionary."""

    def __init__(self, name, seeds, words, longest):
        self.chance = random.Random(name)
        self.seeds = [seed[:longest] for seed in seeds] or [b""]
        self.words = words
        self.longest = longest
        self.own = []

    def __iter__(self):
        while True:
            parent = self.one_of(self.own) if self.own and self.below(4) == 0 else self.one_of(self.seeds)
            data = bytearray(parent)
            for _ in range(1 + self.below(4)):
                self.one_of(CHANGES)(self, data)
                del data[self.longest:]
            if self.below(8) == 0:
                self.own = [*self.own[1 - OLDEST:], bytes(data)]
            if data:
                yield bytes(data)

    # Of all that the generator offers only this is promised to stay as it is.
    def below(self, bound):
        return int(self.chance.random() * bound)

    def one_of(self, things):
        return things[self.below(len(things))]

    def piece(self, data):
        """A range of the data, mostly short."""
        start = self.below(len(data) + 1)
        length = self.below(1 << self.below(11))
        return slice(start, min(len(data), start + length))

    def flip(self, data):
        if data:
            data[self.below(len(data))] ^= 1 << self.below(8)

    def put(self, data):
        place = self.below(len(data) + 1)
        data[place:place + self.below(2)] = bytes([self.one_of(BYTES) if self.below(4) else self.below(256)])

    def word(self, data):
        if self.words:
            place = self.below(len(data) + 1)
            word = self.one_of(self.words)
            data[place:place + self.below(2) * len(word)] = word

    def remove(self, data):
        del data[self.piece(data)]

    def repeat(self, data):
        piece = self.piece(data)
        times = 2 + self.below(1 << self.below(7))
        data[piece] = (bytes(data[piece]) * times)[:self.longest]

    def shuffle(self, data):
        piece = bytes(data[self.piece(data)])
        place = self.below(len(data) + 1)
        data[place:place] = piece

    def cross(self, data):
        other = self.one_of(self.seeds)
        data[self.piece(data)] = other[self.piece(other)]

    def cut(self, data):
        del data[self.below(len(data) + 1):]


CHANGES = [Mutants.flip, Mutants.put, Mutants.put, Mutants.word, Mutants.word, Mutants.remove, Mutants.repeat,
           Mutants.shuffle, Mutants.cross, Mutants.cut]


def dictionary(text):
    """The words of a dictionary in libFuzzer's form: `name="word"` or `"word"` a line, with \\\\, \\" and \\xNN."""
    words = []
    for line in text.splitlines():
        quoted = re.fullmatch(r'[^"#]*"(.*)"\s*', line)
        if quoted:
            words.append(re.sub(r'\\(?:x([0-9a-fA-F]{2})|(.))',
                                lambda escape: chr(int(escape[1], 16)) if escape[1] else escape[2],
                                quoted[1]).encode("latin-1", "replace"))
    return words
