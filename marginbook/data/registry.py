"""The table of data files: path, SHA-256, size, upstream addresses."""

from typing import NamedTuple


class File(NamedTuple):
    """One file of the registry."""

    path: str  # below the data folder, with forward slashes; the key of FILES
    sha256: str  # of the bytes
    size: int  # bytes
    unpacked: int  # bytes after decompression; equal to size for a plain file
    urls: tuple[str, ...]  # upstream and mirrors, in the order in which they are tried
    also: tuple[str, ...] = ()  # SHA-256 of other texts of the same rows
    values: str = ""  # SHA-256 of the parsed grey values, where several byte forms carry the same values
    aliases: tuple[str, ...] = ()  # other paths under which upstream's byte form may lie

    @property
    def largest(self) -> int:
        """Largest size in bytes accepted, in any byte form."""
        return self.size * (4 if self.values else 1)

    @property
    def largest_unpacked(self) -> int:
        """Largest size in bytes accepted after decompression, in any byte form."""
        return self.unpacked * (4 if self.values else 1)


def _files(folder: str, urls: tuple[str, ...], table: str) -> list[File]:
    """Files from lines `sha256 size [unpacked] name`; `{}` in an address stands for the name."""
    files = []
    for line in table.strip().splitlines():
        digest, *sizes, name = line.split()
        places = tuple(url.format(name) for url in urls)
        files.append(File(f"{folder}/{name}", digest, int(sizes[0]), int(sizes[-1]), places))
    return files


_MNIST = (
    "https://ossci-datasets.s3.amazonaws.com/mnist/{}",
    "https://storage.googleapis.com/cvdf-datasets/mnist/{}",
    "http://yann.lecun.com/exdb/mnist/{}",
)
_ESL = "https://hastie.su.domains/ElemStatLearn/datasets/{}"
_LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/{}/{{}}"
_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/{}/{{}}"


def _uci(folder: str, table: str) -> list[File]:
    return _files("uci", (_UCI.format(folder),), table)


_ALL = [
    *_files(
        "mnist",
        _MNIST,
        """
440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609 9912422 47040016 train-images-idx3-ubyte.gz
3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c 28881 60008 train-labels-idx1-ubyte.gz
8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6 1648877 7840016 t10k-images-idx3-ubyte.gz
f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6 4542 10008 t10k-labels-idx1-ubyte.gz
""",
    ),
    File(
        "usps/zip.train.txt.gz",
        "2e5fedb246820566e63c5e28d2feb1728036f4b7af83c76168f7275975447f57",
        1480934,
        7386827,
        (_ESL.format("zip.train.gz"),),
        values="2840d87b925227ed879fc92b76e8277187622e6437703a83e913cdf4540eef90",
        aliases=("usps/zip.train.gz",),
    ),
    File(
        "usps/zip.test.gz",
        "157928669fe902de2c31ac9e0000e13fc6dc67c6fc84c62c5af2500b4e0ebe25",
        439419,
        2029542,
        (_ESL.format("zip.test.gz"),),
        values="0e2b49627b8dcd6973d10b28b8623beae24d4e9f9d9d366ef89ed6d280c8364d",
    ),
    *_files(
        "usps",
        (_LIBSVM.format("multiclass"),),
        """
3771e9dd6ba685185f89867b6e249233dd74652389f263963b3b741e994b034f 6579383 24913801 usps.bz2
a9c0164e797d60142a50604917f0baa604f326e9a689698763793fa5d12ffc4e 1831726 6850221 usps.t.bz2
""",
    ),
    *_uci(
        "undocumented/connectionist-bench/sonar",
        """
e90434cdbf00fcf93ffa911fe447ae25606979658e60f1d32e155c3b5240234d 87776 sonar.all-data
f90b24e99b922ac37ec5d043dd93f3e571813137e3f80039cecbfbdac6a483f3 49217 sonar.mines
f79e789d9ccc291b7aebe6008dc50d74f25c123ecb6dc8f7f1fe2dcfb680ba4e 43052 sonar.rocks
""",
    ),
    *_uci(
        "ionosphere",
        "46d52186b84e20be52918adb93e8fb9926b34795ff7504c24350ae0616a04bbd 76467 ionosphere.data",
    ),
    *_uci(
        "voting-records",
        "c87c14110a5ba91d4a1e313ec7392824458152bf071fa5f5452340488337936e 18171 house-votes-84.data",
    ),
    *_uci(
        "breast-cancer-wisconsin",
        "402c585309c399237740f635ef9919dc512cca12cbeb20de5e563a4593f22b64 19889 breast-cancer-wisconsin.data",
    ),
    *_uci(
        "tic-tac-toe",
        "a996a756484d0cf8cbad1680d823aadbfcff8ae2d78c450e6999362d580301c5 25866 tic-tac-toe.data",
    ),
    *_uci(
        "statlog/german",
        "2752b044394958ab6dd193a0b56ca0f0b3a2d8bc7cb8c008e35a5e84bbec02f8 102000 german.data-numeric",
    ),
    *_uci(
        "mushroom",
        "e65d082030501a3ebcbcd7c9f7c71aa9d28fdfff463bf4cf4716a3fe13ac360e 373704 agaricus-lepiota.data",
    ),
    *_files(
        "uci",
        (_UCI.format("covtype"), "https://ndownloader.figshare.com/files/5976039"),
        "614360d0257557dd1792834a85a1cdebfadc3c4f30b011d56afee7ffb5b15771 11240707 75169317 covtype.data.gz",
    ),
    *_files(
        "libsvm",
        (_LIBSVM.format("binary"),),
        """
f39a4eb628dc61a7d43760815b061c9e497aa728ce1ad8bde57a09ef6043b538 879712 mushrooms
eb54c45f1bdb51286f803dd092eb8202b44637a858fc6c4e533a2d64a0d94b4e 114818 a1a
535782f1be62e60938d8accb1573043542b3ac11265522927574dcbb28360a2f 162053 a2a
2d513572f103d25e84bebe4b9f2f52ee9445764b5a393caff7db9c482cfc1ee4 227902 a3a
694d5abff492bdb8ce9749ddf3bf5af1c6f1f0ad6e3a0ae7818000d4d4c4847b 342050 a4a
5cb3a6603de0a0eb43afcdd45b1820c71ee7f20da1c09f054696bb71cbc45ad8 458892 a5a
6023becedbd392fdc6a62ad94b60c9363149370d4c57ef13949fcc765842a031 802800 a6a
d383cf150d4d9f9097b91cc88022cd0ac473c3a72da3f33b4c17801a4bfccdc6 1152056 a7a
d08a37b3fadd4bd3c8b3fc30bdc93b54d7c0f371265c90cbfb931a7efe97cd28 1624166 a8a
f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906 2329875 a9a
1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9 1164628 a9a.t
0ae2b1c40f6a99061d1c6f4a1f3b50eea58a2f3b8bf851a337c25c2a65a49d32 170263 w1a
c857af9590395eaa7d6dae5378d6425d10e6fcf5eb3ee9634c700ca91d7bbc86 241968 w2a
f050c32d3bd2f18eccbe3847cfe8a3ba9dae4de67d73236013c4a7b9afb48cc7 343282 w3a
36a72c5519d51f46302b4a0695ff1b8c6894e5fd3b586c72b1b10743372f1cd7 515479 w4a
50599ff799c35726061b747912c106ee1b084280411c086f10e5adb3487c3993 690824 w5a
0db197939896da01e6677f8dc39fe824dffcb75c185bd681bb870d33c93c8f82 1202812 w6a
bd02f445a1a2f4aaefd27d7dcc31f1f6a8521f904157f2ee7c96d1294cd26e36 1729215 w7a
6a9fa8fd5f524303240a5db07d4b3d4a51e8b7b4b20a914105d8e3e8c81640f2 3478238 w8a
618929ecb01bebb841daec4cae4aa07b97832d29b08652452775598929547fde 1045870 w8a.t
""",
    ),
]

FILES: dict[str, File] = {file.path: file for file in _ALL}

# The nesting of w1a, ..., w8a fixes w2a up to the places of two all-zero rows: each may stand before or
# after one neighbour (rows 886 and 887, rows 1004 to 1006). All four texts are accepted.
FILES["libsvm/w2a"] = FILES["libsvm/w2a"]._replace(
    also=(
        "56fdd578a1b394600f21a227a6fe33dcc7a85529e50b892031f2e376c4ad1eff",
        "c4554bf38fdba81a527ca49eadb5169feaea10fc1b5547a44212a297163984ec",
        "3f9536f675195eba4f0816a1f2fd45202414763ba29a8f715bd4993057ccfe71",
    )
)
