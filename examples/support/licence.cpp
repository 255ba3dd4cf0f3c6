#include "licence.h"

namespace support {

const char* const kLicence =
    "Subject to the terms and conditions of this License, each Contributor hereby grants to You a "
    "perpetual, worldwide, non-exclusive, no-charge, royalty-free, irrevocable copyright license "
    "to reproduce, prepare Derivative Works of, publicly display, publicly perform, sublicense, "
    "and distribute the Work and such Derivative Works in Source or Object form.\n"
    "You may reproduce and distribute copies of the Work or Derivative Works thereof in any "
    "medium, with or without modifications, and in Source or Object form, provided that You meet "
    "the following conditions: You must give any other recipients of the Work or Derivative Works "
    "a copy of this License; and You must cause any modified files to carry prominent notices "
    "stating that You changed the files; and You must retain, in the Source form of any "
    "Derivative Works that You distribute, all copyright, patent, trademark, and attribution "
    "notices from the Source form of the Work, excluding those notices that do not pertain to any "
    "part of the Derivative Works.\n"
    "Unless required by applicable law or agreed to in writing, Licensor provides the Work on an "
    "\"AS IS\" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied, "
    "including, without limitation, any warranties or conditions of TITLE, NON-INFRINGEMENT, "
    "MERCHANTABILITY, or FITNESS FOR A PARTICULAR PURPOSE. You are solely responsible for "
    "determining the appropriateness of using or redistributing the Work and assume any risks "
    "associated with Your exercise of permissions under this License.\n";

}  // namespace support
