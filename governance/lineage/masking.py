"""Functions that mask: what they give no longer shows what they were given (lineage semantics, section 5).

Hashes and masks of every dialect, and the counts, as OpenLineage's Spark collector has it. Masking is only reported: it
lowers no classification by itself.
"""

from sqlglot import exp

from governance.lineage.edges import AGGREGATION, MASKED, TRANSFORMATION

MASKS = TRANSFORMATION | MASKED
"""The hop through a hash or mask function."""

SIZES = AGGREGATION | MASKED
"""The hop through a count: how many, not which."""

HASHING: tuple[type[exp.Expr], ...] = (
    exp.MD5, exp.MD5Digest, exp.MD5NumberLower64, exp.MD5NumberUpper64, exp.SHA, exp.SHA1Digest, exp.SHA2,
    exp.SHA2Digest,
    exp.FarmFingerprint, exp.CityHash64, exp.StandardHash,
)  # fmt: skip

COUNTING: tuple[type[exp.Expr], ...] = (exp.Count, exp.CountIf, exp.ApproxDistinct, exp.Hll, exp.HashAgg)

MASKING: frozenset[str] = frozenset(
    [
        "binary_checksum", "blake3", "checksum", "checksum_agg", "cityhash64", "crc32", "crypt", "digest",
        "farm_fingerprint", "farmfingerprint64", "farmhash64", "fnv_hash", "func_sha1", "gccmurmurhash", "halfmd5",
        "hash", "hash_agg", "hashbytes", "hashtext", "hashtextextended", "hivehash", "hmac", "hmac_md5", "hmac_sha1",
        "hmac_sha256", "hmac_sha512", "inthash32", "inthash64", "javahash", "kafkamurmurhash", "mask", "mask_first_n",
        "mask_hash", "mask_last_n", "mask_show_first_n", "mask_show_last_n", "md4", "md5", "md5_number",
        "md5_number_lower", "md5_number_upper", "metrohash64", "murmur_hash", "murmurhash2_32", "murmurhash2_64",
        "murmurhash3_128", "murmurhash3_32", "murmurhash3_64", "ora_hash", "sha1", "sha2", "sha224", "sha256",
        "sha384", "sha512", "sha512_256", "sip_hash", "siphash128", "siphash128keyed", "siphash128reference",
        "siphash64", "siphash64keyed", "standard_hash", "urlhash", "wyhash64", "xxh3", "xxhash32", "xxhash64",
    ]
)  # fmt: skip
"""Hash and mask functions that sqlglot knows by name only, in lower case."""
