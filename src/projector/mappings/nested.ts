/** Objects of fields: a record, and the nodes embedded in it. */

import type { Term } from '@rdfjs/types'
import { eachValue, nodeIri, type Scene, type Slot } from './mapping.ts'
import type { Json, JsonObject } from '../../text/json.ts'

/** What is said of a node, by predicate. */
type About = ReturnType<Scene['graph']['about']>

const none: readonly Term[] = []

/** The values of all predicates of a field; each term once. */
function valuesOf(about: About, paths: readonly string[]): readonly Term[] {
  const [path] = paths
  const values = (path === undefined ? undefined : about.get(path)) ?? none
  if (paths.length < 2) return values
  const others = paths.slice(1).flatMap((other) => about.get(other) ?? [])
  const fresh = others.filter((term) => !values.some((value) => value.equals(term)))
  return fresh.length === 0 ? values : [...values, ...fresh]
}

const isEmpty = (node: Term) => node.termType === 'Literal' && node.value.trim() === ''

/** What a mapping makes of values. Literals without a text say nothing, whatever their datatype: no class sees them. */
export function mapped(
  values: readonly Term[],
  { map, site }: Pick<Slot, 'map' | 'site'>,
  scene: Scene,
): Json | undefined {
  if (values.length === 0) return undefined
  const nodes = values.some(isEmpty) ? values.filter((node) => !isEmpty(node)) : values
  return nodes.length === 0 ? undefined : map(nodes, site, scene)
}

/** The fields of a node that have a value, in profile order. */
export function mappedFields(
  node: Term,
  slots: readonly Slot[],
  scene: Scene,
): JsonObject | undefined {
  const object: Record<string, Json> = {}
  let some = false
  // Looked up once: a shape has some forty fields, and most nodes have values for a few of them.
  const about = scene.graph.about(node)
  for (const slot of slots) {
    const { fill, site, paths } = slot
    const json = fill ? fill(node, site, scene) : mapped(valuesOf(about, paths), slot, scene)
    if (json !== undefined) {
      object[slot.field.name] = json
      some = true
    } else if (slot.field.required) scene.report(slot.site.path, 'missing-mandatory', '')
  }
  return some ? object : undefined
}

/** Nested: `distributions: [{id, title, …}]`; a node without any field is left out. */
export const nested = eachValue((node, scene, site) => {
  if (node.termType === 'Literal') return 'not-an-iri'
  if (site.tooDeep) scene.report(site.path, 'too-deep', node)
  const json = mappedFields(node, site.children, scene)
  return json && { key: nodeIri(node, scene) ?? '', json }
})
