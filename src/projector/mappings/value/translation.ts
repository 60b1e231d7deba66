/** Which languages a record has, and which of them a machine translated. */

import type { Term } from '@rdfjs/types'
import { compareCodePoints } from '../../../text/code-points.ts'
import type { JsonObject } from '../json.ts'
import type { Filler, Scene } from '../mapping.ts'
import { keyedTexts, type KeyedText } from '../../../vocabularies/labels.ts'

const silent = { notLiteral: () => undefined, twice: () => undefined }

function textsOf(node: Term, sources: readonly string[], scene: Scene): readonly KeyedText[] {
  return sources.flatMap((predicate) =>
    keyedTexts(scene.graph.objects(node, predicate), scene.language, silent),
  )
}

/** TranslationMeta of these predicates: a language with at least one text by a human counts as not translated. */
export const translationMeta =
  (sources: readonly string[]): Filler =>
  (node, _site, scene) => {
    const origins = new Map<string, string | undefined>()
    for (const { tag, key } of textsOf(node, sources, scene)) {
      const code = tag.primary || key
      const known = origins.get(code)
      if (!origins.has(code)) origins.set(code, tag.translatedFrom)
      else if (known !== undefined) origins.set(code, tag.translatedFrom && known)
    }
    const codes = [...origins.keys()].sort(compareCodePoints)
    const details: Record<string, JsonObject> = {}
    for (const code of codes) {
      const original = origins.get(code)
      details[code] =
        original === undefined
          ? { machine_translated: false }
          : { machine_translated: true, original_language: original }
    }
    return { full_available_languages: codes, details, status: 'unknown' }
  }
