// Arrow keys between the query and the documents.

import { enableArrowKeys } from "./arrow_keys.js";

enableArrowKeys(document.getElementById("q"));
