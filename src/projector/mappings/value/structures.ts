/** Small structured values: checksums, secondary identifiers, relations, extensions. */

import { compareCodePoints } from '../../../text/code-points.ts'
import type { Term } from '@rdfjs/types'
import { dcat, dct, skos, spdx, xsd } from '../../../rdf/namespaces.ts'
import { objectOf, type JsonObject } from '../json.ts'
import {
  iriLike,
  iriOf,
  settle,
  type Mapping,
  type Problem,
  type Ranked,
  type Scene,
} from '../mapping.ts'

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
