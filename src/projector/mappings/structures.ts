/** Small structured values: checksums, secondary identifiers, relations, extensions, pages, numbers, truth values. */

import type { Term } from '@rdfjs/types'
import { dcat, dct, skos, spdx, xsd } from '../../rdf/namespaces.ts'
import { compareCodePoints } from '../../text/code-points.ts'
import { languageMap } from '../../vocabularies/labels.ts'
import { formatOf } from './licences-and-formats.ts'
import {
  afterLast,
  eachValue,
  iriLike,
  type Mapping,
  nodeIri,
  objectOf,
  type Problem,
  type Scene,
  valueTexts,
} from './mapping.ts'
import type { JsonObject } from '../../text/json.ts'

type Reading = (node: Term, scene: Scene) => JsonObject | undefined

/** A node without what its class is about is left out with `problem`; a literal is no node, unless `literals` reads it. */
const structure = (read: Reading, problem: Problem, literals?: Reading): Mapping =>
  eachValue((node, scene) => {
    const isLiteral = node.termType === 'Literal'
    const json = isLiteral ? literals?.(node, scene) : read(node, scene)
    if (json) return { key: JSON.stringify(json), json }
    return isLiteral ? 'not-an-iri' : problem
  })

/** Checksum: `{algorithm, checksum_value}`; without a value there is none. */
export const checksum = structure((node, scene) => {
  const [value] = valueTexts(scene, node, spdx('checksumValue').value)
  const [algorithm] = valueTexts(scene, node, spdx('algorithm').value)
  const name = algorithm === undefined ? undefined : afterLast(algorithm)
  return value === undefined ? undefined : objectOf({ algorithm: name, checksum_value: value })
}, 'not-a-literal')

const schemeOf = (notation: Term | undefined) =>
  notation?.termType === 'Literal' &&
  notation.language === '' &&
  notation.datatype.value !== xsd('string').value
    ? notation.datatype.value
    : undefined

const isText = (term: Term) => term.termType === 'Literal' && term.value.trim() !== ''

/** AdmsIdentifier: `{resource, identifier, scheme}`. */
export const admsIdentifier = structure(
  (node, scene) => {
    const [notation] = scene.graph
      .objects(node, skos('notation'))
      .filter(isText)
      .sort((a, b) => compareCodePoints(`${a.value} ${schemeOf(a)}`, `${b.value} ${schemeOf(b)}`))
    return objectOf({
      resource: nodeIri(node, scene),
      identifier: notation?.value.trim(),
      scheme: schemeOf(notation),
    })
  },
  'not-a-literal',
  (node) => objectOf({ identifier: node.value.trim(), scheme: schemeOf(node) }),
)

function iris(node: Term, predicate: string, scene: Scene): readonly string[] | undefined {
  const found = scene.graph.objects(node, predicate).flatMap((term) => iriLike(term, scene) ?? [])
  return found.length > 0 ? [...new Set(found)].sort(compareCodePoints) : undefined
}

/** QualifiedRelation: `{relation[], had_role[]}`. */
export const qualifiedRelation = structure(
  (node, scene) =>
    objectOf({
      relation: iris(node, dct('relation').value, scene),
      had_role: iris(node, dcat('hadRole').value, scene),
    }),
  'not-an-iri',
)

const isUsedBy = 'https://data.europa.eu/ns/ext#isUsedBy'

/** MetadataExtension: `{is_used_by[]}`. */
export const metadataExtension = structure(
  (node, scene) => objectOf({ is_used_by: iris(node, isUsedBy, scene) }),
  'not-an-iri',
)

function formatAt(node: Term, scene: Scene): JsonObject | undefined {
  const formats = scene.graph
    .objects(node, dct('format'))
    .map((term) => formatOf(term, scene))
    .filter((json) => json !== undefined)
  if (formats.length < 2) return formats[0]
  return formats.sort((a, b) => compareCodePoints(JSON.stringify(a), JSON.stringify(b)))[0]
}

/** Page: `{resource, title{}, description{}, format{id,label,resource}}`. */
export const webPage = eachValue((node, scene) => {
  const resource = iriLike(node, scene)
  const { graph, language } = scene
  const isLiteral = node.termType === 'Literal'
  const json = objectOf({
    resource,
    ...(!isLiteral && {
      title: languageMap(graph.objects(node, dct('title')), language),
      description: languageMap(graph.objects(node, dct('description')), language),
      format: formatAt(node, scene),
    }),
  })
  return json ? { key: resource ?? '', json } : 'not-an-iri'
})

// Numbers and truth values.

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/** The number that a text spells in plain decimal form; nothing beyond ±2^53. */
export function decimalNumber(text: string): number | undefined {
  const trimmed = text.trim()
  if (!decimal.test(trimmed)) return undefined
  const number = Number(trimmed)
  return Math.abs(number) <= 2 ** 53 ? number + 0 : undefined
}

/** Integer and Numeric: a JSON number, a fraction is kept. */
export const numeric: Mapping = (nodes, site, scene) => {
  const found: number[] = []
  for (const node of nodes) {
    const number = node.termType === 'Literal' ? decimalNumber(node.value) : undefined
    if (number === undefined) scene.report(site.path, 'bad-number', node)
    else if (!found.includes(number)) found.push(number)
  }
  found.sort((a, b) => a - b)
  if (!site.single) return found.length > 0 ? found : undefined
  if (found.length > 1) scene.report(site.path, 'too-many-values', String(found[1]))
  return found[0]
}

const truths = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/** Boolean: `true`, `false`, `1`, `0` (XSD 1.1 part 2, 3.3.2). */
export const truth = eachValue((node) => {
  const json = node.termType === 'Literal' ? truths.get(node.value.trim()) : undefined
  return json === undefined ? 'bad-boolean' : { key: String(json), json }
})
