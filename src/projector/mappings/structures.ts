/** Small structured values: checksums, secondary identifiers, relations, extensions. */

import type { Term } from '@rdfjs/types'
import { dcat, dct, skos, spdx, xsd } from '../../rdf/namespaces.ts'
import { compareCodePoints } from '../../text/code-points.ts'
import { languageMap } from '../../vocabularies/labels.ts'
import { formatOf } from './licences-and-formats.ts'
import {
  iriLike,
  iriOf,
  type Json,
  type JsonObject,
  type Mapping,
  objectOf,
  type Problem,
  type Ranked,
  type Scene,
  settle,
} from './mapping.ts'

type Reading = (node: Term, scene: Scene) => JsonObject | undefined

/** A node without what its class is about is left out with `problem`; a literal is no node. */
const mapped =
  (read: Reading, { problem, literals }: { problem: Problem; literals?: Reading }): Mapping =>
  (nodes, site, scene) => {
    const values: Ranked[] = []
    for (const node of nodes) {
      const isLiteral = node.termType === 'Literal'
      const json = isLiteral ? literals?.(node, scene) : read(node, scene)
      if (json) values.push({ key: JSON.stringify(json), json })
      else scene.report(site.path, isLiteral ? 'not-an-iri' : problem, node)
    }
    return settle(values, site, scene)
  }

const sorted = (terms: readonly Term[]) =>
  terms
    .map(({ value }) => value.trim())
    .filter((text) => text !== '')
    .sort(compareCodePoints)

const afterLast = (iri: string) =>
  iri.slice(Math.max(iri.lastIndexOf('#'), iri.lastIndexOf('/')) + 1)

/** Checksum: `{algorithm, checksum_value}`; without a value there is none. */
export const checksum = mapped(
  (node, scene) => {
    const [value] = sorted(scene.graph.objects(node, spdx('checksumValue')))
    if (value === undefined) return undefined
    const [algorithm] = sorted(scene.graph.objects(node, spdx('algorithm')))
    return objectOf({
      algorithm: algorithm === undefined ? undefined : afterLast(algorithm),
      checksum_value: value,
    })
  },
  { problem: 'not-a-literal' },
)

const schemeOf = (notation: Term | undefined) =>
  notation?.termType === 'Literal' &&
  notation.language === '' &&
  notation.datatype.value !== xsd('string').value
    ? notation.datatype.value
    : undefined

const isText = (term: Term) => term.termType === 'Literal' && term.value.trim() !== ''

/** AdmsIdentifier: `{resource, identifier, scheme}`. */
export const admsIdentifier = mapped(
  (node, scene) => {
    const [notation] = scene.graph
      .objects(node, skos('notation'))
      .filter(isText)
      .sort((a, b) => compareCodePoints(`${a.value} ${schemeOf(a)}`, `${b.value} ${schemeOf(b)}`))
    return objectOf({
      resource: iriOf(node, scene),
      identifier: notation?.value.trim(),
      scheme: schemeOf(notation),
    })
  },
  {
    problem: 'not-a-literal',
    literals: (node) => objectOf({ identifier: node.value.trim(), scheme: schemeOf(node) }),
  },
)

function iris(node: Term, predicate: string, scene: Scene): readonly string[] | undefined {
  const found = scene.graph.objects(node, predicate).flatMap((term) => iriLike(term, scene) ?? [])
  return found.length > 0 ? [...new Set(found)].sort(compareCodePoints) : undefined
}

/** QualifiedRelation: `{relation[], had_role[]}`. */
export const qualifiedRelation = mapped(
  (node, scene) =>
    objectOf({
      relation: iris(node, dct('relation').value, scene),
      had_role: iris(node, dcat('hadRole').value, scene),
    }),
  { problem: 'not-an-iri' },
)

const isUsedBy = 'https://data.europa.eu/ns/ext#isUsedBy'

/** MetadataExtension: `{is_used_by[]}`. */
export const metadataExtension = mapped(
  (node, scene) => objectOf({ is_used_by: iris(node, isUsedBy, scene) }),
  { problem: 'not-an-iri' },
)

// Web pages and documents.

const title = dct('title').value
const description = dct('description').value
const format = dct('format').value

const inOrder = (a: JsonObject, b: JsonObject) =>
  compareCodePoints(JSON.stringify(a), JSON.stringify(b))

function formatAt(node: Term, scene: Scene): JsonObject | undefined {
  const formats = scene.graph
    .objects(node, format)
    .map((term) => formatOf(term, scene))
    .filter((json) => json !== undefined)
  return formats.length > 1 ? formats.sort(inOrder)[0] : formats[0]
}

function described(node: Term, scene: Scene): Readonly<Record<string, Json | undefined>> {
  const { graph, language } = scene
  return {
    title: languageMap(graph.objects(node, title), language),
    description: languageMap(graph.objects(node, description), language),
    format: formatAt(node, scene),
  }
}

/** Page: `{resource, title{}, description{}, format{id,label,resource}}`. */
export const page: Mapping = (nodes, site, scene) => {
  const values: Ranked[] = []
  for (const node of nodes) {
    const resource = iriLike(node, scene)
    if (node.termType === 'Literal' && resource === undefined) {
      scene.report(site.path, 'not-an-iri', node)
      continue
    }
    const more = node.termType === 'Literal' ? {} : described(node, scene)
    const json = objectOf({ resource, ...more })
    if (json) values.push({ key: resource ?? '', json })
    else scene.report(site.path, 'not-an-iri', node)
  }
  return settle(values, site, scene)
}

// Numbers and truth values.

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/** The number that a text spells in plain decimal form; nothing beyond ±2^53. */
export function numberOf(text: string): number | undefined {
  const trimmed = text.trim()
  if (!decimal.test(trimmed)) return undefined
  const number = Number(trimmed)
  return Math.abs(number) <= 2 ** 53 ? number + 0 : undefined
}

/** Integer and Numeric: a JSON number, a fraction is kept. */
export const numeric: Mapping = (nodes, site, scene) => {
  const found: number[] = []
  for (const node of nodes) {
    const number = node.termType === 'Literal' ? numberOf(node.value) : undefined
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
export const truth: Mapping = (nodes, site, scene) => {
  const values: Ranked[] = []
  for (const node of nodes) {
    const json = node.termType === 'Literal' ? truths.get(node.value.trim()) : undefined
    if (json === undefined) scene.report(site.path, 'bad-boolean', node)
    else values.push({ key: String(json), json })
  }
  return settle(values, site, scene)
}
