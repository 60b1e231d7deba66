/** Plain strings and IRIs as strings. */

import type { Term } from '@rdfjs/types'
import {
  iriLike,
  isBlank,
  settle,
  type Mapping,
  type Problem,
  type Ranked,
  type Scene,
} from '../mapping.ts'

/** Reads one value; `undefined` drops it silently, a problem drops it with a report. */
type Reading = (node: Term, scene: Scene) => string | { readonly problem: Problem } | undefined

const strings =
  (read: Reading): Mapping =>
  (nodes, site, scene) => {
    const values: Ranked[] = []
    for (const node of nodes) {
      const text = read(node, scene)
      if (text === undefined || text === '') continue
      if (typeof text === 'string') values.push({ key: text, json: text })
      else scene.report(site.path, text.problem, node)
    }
    return settle(values, site, scene)
  }

const textOr =
  (problem: Problem): Reading =>
  (node, scene) =>
    isBlank(node, scene) ? { problem } : node.value.trim()

/** StandardText and LabeledText: a literal, or the text of an IRI. */
export const standardText = strings(textOr('not-a-literal'))

/** StandardKeyword: like text, for filters. */
export const standardKeyword = strings(textOr('not-an-iri'))

/** StandardDisabled: as sent, not searched. */
export const standardDisabled = strings((node, scene) =>
  isBlank(node, scene) ? { problem: 'not-an-iri' } : node.value,
)

/** StandardResourceKeyword: IRIs; blank nodes are passed over. */
export const standardResourceKeyword = strings((node, scene) =>
  isBlank(node, scene) ? undefined : (iriLike(node, scene) ?? { problem: 'not-an-iri' }),
)

const iana = /^https?:\/\/(?:www\.)?iana\.org\/assignments\/media-types\//i

/** The media type that a term names, lower case and without parameters (RFC 6838 4.2). */
export function mediaTypeOf(text: string): string | undefined {
  const [type = ''] = text.trim().replace(iana, '').split(';')
  const lower = type.trim().toLowerCase()
  return /^[a-z0-9][\w!#$&^.+-]*\/[a-z0-9][\w!#$&^.+-]*$/.test(lower) ? lower : undefined
}

/** MediaType: `text/csv` from an IANA IRI or a literal. */
export const mediaType = strings((node, scene) =>
  isBlank(node, scene)
    ? { problem: 'bad-media-type' }
    : (mediaTypeOf(node.value) ?? { problem: 'bad-media-type' }),
)
