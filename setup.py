"""Packaging of lang2program_tf; tool settings are in pyproject.toml."""

import re
from pathlib import Path

from setuptools import find_packages, setup

ROOT = Path(__file__).parent
VERSION = re.search(
    r'^__version__ = "([^"]+)"',
    (ROOT / "lang2program_tf" / "__init__.py").read_text(encoding="utf-8"),
    re.MULTILINE,
).group(1)

UP_TO_3_11 = 'python_version < "3.12"'
FROM_3_12 = 'python_version >= "3.12"'
RAY = "ray>=2.9,<3"
# From 3.14 on, aiohttp cuts off a client that drips the head of a request.
SERVE = ['aiohttp>=3.14,<4; python_version >= "3.10"', "prometheus_client>=0.20,<1"]

PYTEST = ["pytest>=7.4,<10", "pytest-xdist>=3.7,<4", "hypothesis>=6.90,<7"]

setup(
    name="lang2program_tf",
    version=VERSION,
    description='"From Language to Programs" (Guu et al., ACL 2017) for TensorFlow 2',
    long_description=(ROOT / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    python_requires=">=3.9,<3.14",
    # The top-level gin/ folder is installed as lang2program_tf/gin (see gin_files.py).
    packages=[*find_packages(include=["lang2program_tf*"]), "lang2program_tf.gin"],
    package_dir={"lang2program_tf.gin": "gin"},
    package_data={
        "lang2program_tf": ["py.typed"],
        "lang2program_tf.corpus": ["data/*"],
        "lang2program_tf.gin": ["**/*.gin"],
        "lang2program_tf.playground": ["static/*"],
    },
    install_requires=[
        # TensorFlow 2.15 is the last that tensorflow-addons runs with, and Python 3.11 the last
        # that it has wheels for. Later Pythons take later TensorFlows, and Keras 2 apart from them.
        f"tensorflow>=2.15,<2.16; {UP_TO_3_11}",
        f"tensorflow-addons>=0.23,<0.24; {UP_TO_3_11}",
        f"tensorflow-serving-api>=2.15,<2.16; {UP_TO_3_11}",
        f"numpy>=1.23,<2; {UP_TO_3_11}",
        f"tensorflow>=2.16,<2.22; {FROM_3_12}",
        f"tf-keras>=2.16,<2.22; {FROM_3_12}",
        f"tensorflow-serving-api>=2.16,<2.22; {FROM_3_12}",
        f"tensorboard>=2.16; {FROM_3_12}",
        f"numpy>=1.26,<3; {FROM_3_12}",
        "gin-config>=0.5,<0.6",
        "absl-py>=1.4,<3",  # what TensorFlow logs with
        "tqdm>=4.64,<5",
        "matplotlib>=3.6,<3.11",
    ],
    extras_require={
        "ray": [RAY],
        "serve": SERVE,
        "pytest": PYTEST,
        "test": [
            RAY,
            *SERVE,
            *PYTEST,
            "selenium>=4.20,<5",
            "nbclient>=0.10,<1",
            "ipykernel>=6.29,<8",
            # Exact, so that a lint result does not change under an unchanged tree.
            "ruff==0.17.4",
            'mypy==2.4.1; python_version >= "3.10"',
        ],
    },
    entry_points={"console_scripts": ["lang2program = lang2program_tf.cli.main:main"]},
)
