/** The areas that a record covers, as GeoJSON geometries. */

import { compareCodePoints } from '../../../text/code-points.ts'
import type { Term } from '@rdfjs/types'
import { dcat, geosparql, locn } from '../../../rdf/namespaces.ts'
import { settle, type Mapping, type Ranked, type Scene } from '../mapping.ts'
import { geometryOf, type Geometry } from '../../../vocabularies/geometry.ts'
import { fromGml, fromWkt } from '../../../vocabularies/geometry-text.ts'

const properties = [
  locn('geometry').value,
  geosparql('hasGeometry').value,
  dcat('bbox').value,
  dcat('centroid').value,
]
const serialisations = ['asWKT', 'asGeoJSON', 'asGML'].map((name) => geosparql(name).value)

function fromGeoJson(text: string): Geometry | undefined {
  try {
    return geometryOf(JSON.parse(text))
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

/** The geometry that a literal spells out, whatever datatype it claims. */
export function geometryIn(text: string): Geometry | undefined {
  const trimmed = text.trim()
  if (trimmed.startsWith('{')) return fromGeoJson(trimmed)
  const isXml = trimmed.startsWith('<') && !/^<https?:[^<>]*>\s*[A-Za-z]/.test(trimmed)
  return isXml && !trimmed.startsWith('<urn:') ? fromGml(trimmed) : fromWkt(trimmed)
}

/** The literals of a location, by property; those of one property by code point. */
function literalsOf(node: Term, scene: Scene): readonly (readonly string[])[] {
  if (node.termType === 'Literal') return [[node.value]]
  return properties.map((property) =>
    scene.graph
      .objects(node, property)
      .flatMap((value) =>
        value.termType === 'Literal'
          ? [value.value]
          : serialisations.flatMap((name) =>
              scene.graph.objects(value, name).map((literal) => literal.value),
            ),
      )
      .sort(compareCodePoints),
  )
}

/** Spatial: one geometry per location; an empty array when there are only names or IRIs. */
export const spatial: Mapping = (nodes, site, scene) => {
  const values: Ranked[] = []
  for (const node of nodes) {
    const literals = literalsOf(node, scene).flat()
    let geometry: Geometry | undefined
    for (const literal of literals) if ((geometry ??= geometryIn(literal))) break
    if (geometry) values.push({ key: JSON.stringify(geometry), json: geometry })
    else if (literals[0] !== undefined) scene.report(site.path, 'bad-geometry', literals[0])
  }
  return settle(values, site, scene) ?? (site.single ? undefined : [])
}
