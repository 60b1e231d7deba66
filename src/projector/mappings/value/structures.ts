/** Small structured values: checksums, secondary identifiers, relations, extensions. */

import { compareCodePoints } from '../../../text/code-points.ts'
import type { Term } from '@rdfjs/types'
import { dcat, dct, skos, spdx, xsd } from '../../../rdf/namespaces.ts'
import { objectOf, type JsonObject } from '../json.ts'
import { iriLike, iriOf, settle, type Mapping, type Ranked, type Scene } from '../mapping.ts'

/** Literals have no properties; looked up as subjects they could be taken for an IRI of the same spelling. */
const described =
  (read: (node: Term, scene: Scene) => JsonObject | undefined) =>
  (node: Term, scene: Scene): JsonObject | undefined =>
    node.termType === 'Literal' ? undefined : read(node, scene)

const mapped =
  (read: (node: Term, scene: Scene) => JsonObject | undefined): Mapping =>
  (nodes, site, scene) => {
    const values: Ranked[] = []
    for (const node of nodes) {
      const json = read(node, scene)
      if (json) values.push({ key: JSON.stringify(json), json })
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
  described((node, scene) => {
    const [value] = sorted(scene.graph.objects(node, spdx('checksumValue')))
    if (value === undefined) return undefined
    const [algorithm] = sorted(scene.graph.objects(node, spdx('algorithm')))
    return objectOf({
      algorithm: algorithm === undefined ? undefined : afterLast(algorithm),
      checksum_value: value,
    })
  }),
)

const schemeOf = (notation: Term | undefined) =>
  notation?.termType === 'Literal' &&
  notation.language === '' &&
  notation.datatype.value !== xsd('string').value
    ? notation.datatype.value
    : undefined

/** AdmsIdentifier: `{resource, identifier, scheme}`. */
export const admsIdentifier = mapped((node, scene) => {
  if (node.termType === 'Literal')
    return objectOf({ identifier: node.value.trim() || undefined, scheme: schemeOf(node) })
  const [notation] = [...scene.graph.objects(node, skos('notation'))].sort((a, b) =>
    compareCodePoints(`${a.value} ${schemeOf(a)}`, `${b.value} ${schemeOf(b)}`),
  )
  return objectOf({
    resource: iriOf(node, scene),
    identifier: notation?.value.trim(),
    scheme: schemeOf(notation),
  })
})

function iris(node: Term, predicate: string, scene: Scene): readonly string[] | undefined {
  const found = scene.graph.objects(node, predicate).flatMap((term) => iriLike(term, scene) ?? [])
  return found.length > 0 ? [...new Set(found)].sort(compareCodePoints) : undefined
}

/** QualifiedRelation: `{relation[], had_role[]}`. */
export const qualifiedRelation = mapped(
  described((node, scene) =>
    objectOf({
      relation: iris(node, dct('relation').value, scene),
      had_role: iris(node, dcat('hadRole').value, scene),
    }),
  ),
)

const isUsedBy = 'https://data.europa.eu/ns/ext#isUsedBy'

/** MetadataExtension: `{is_used_by[]}`. */
export const metadataExtension = mapped(
  described((node, scene) => objectOf({ is_used_by: iris(node, isUsedBy, scene) })),
)
