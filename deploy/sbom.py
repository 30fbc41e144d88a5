#!/usr/bin/env python3
"""Prints what a package of gjkd is made of, and what it depends on here, as SPDX 2.3 in JSON.

  deploy/sbom.py VERSION PACKAGE.deb
"""

import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def package(name, version, **more):
    return {"SPDXID": f"SPDXRef-{re.sub('[^a-zA-Z0-9.-]', '-', name)}", "name": name, "versionInfo": version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION"} | more


def main():
    version, file = sys.argv[1], pathlib.Path(sys.argv[2])
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    packages = [package("gjkd", version, licenseConcluded="MIT", licenseDeclared="MIT", packageFileName=file.name,
                        checksums=[{"algorithm": "SHA256", "checksumValue": digest}])]
    for depends in output("dpkg-deb", "--field", str(file), "Depends").split(","):
        name = re.split(r"[ |(]", depends.strip())[0]
        has = output("dpkg-query", "--show", "--showformat", "${Version} ${Architecture}\n", name).split()
        packages.append(package(name, has[0], externalRefs=[{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{name}@{has[0]}?arch={has[1]}"}]))
    made = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    json.dump({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"gjkd-{version}", "documentNamespace": f"urn:gjkd:{version}:{digest}",
        "creationInfo": {"created": made.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: deploy/sbom.py"]},
        "packages": packages,
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                           "relatedSpdxElement": packages[0]["SPDXID"]}] + [
            {"spdxElementId": packages[0]["SPDXID"], "relationshipType": "DEPENDS_ON",
             "relatedSpdxElement": each["SPDXID"]} for each in packages[1:]],
    }, sys.stdout, indent=1)
    print()


main()
