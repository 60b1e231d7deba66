/** Texts in several languages: an object from language to text. */

import { keyedTexts, languageObject } from '../../../vocabularies/labels.ts'
import type { Mapping } from '../mapping.ts'

/** SimpleMultiLang, MultiLang and their title kinds: `"Forêts"@fr, "Forests"@en` → `{en, fr}`. */
export const multiLang: Mapping = (nodes, site, scene) =>
  languageObject(
    keyedTexts(nodes, scene.language, {
      notLiteral: (node) => scene.report(site.path, 'not-a-literal', node),
      twice: (text) => scene.report(site.path, 'same-language-twice', text),
    }),
  )
