/** Resources that may have a label: standards, rights statements, states, package formats. */

import type { Term } from '@rdfjs/types'
import type { JsonObject } from '../json.ts'
import { objectOf } from '../json.ts'
import { iriOf, settle, type Mapping, type Ranked, type Scene } from '../mapping.ts'
import { labelOf } from '../text/labels.ts'
import { mediaTypeOf } from '../text/strings.ts'

function described(node: Term, scene: Scene): JsonObject | undefined {
  if (node.termType === 'Literal') {
    const label = node.value.trim()
    return label === '' ? undefined : { label }
  }
  const resource = iriOf(node, scene)
  const label =
    labelOf(node, scene) ??
    (resource === undefined ? undefined : scene.concepts.find(resource)?.label)
  return objectOf({ label, resource })
}

const keyOf = (json: JsonObject): string => {
  const key = json['resource'] ?? json['label']
  return typeof key === 'string' ? key : ''
}

const through =
  (read: (node: Term, scene: Scene) => JsonObject | undefined): Mapping =>
  (nodes, site, scene) => {
    const values: Ranked[] = []
    for (const node of nodes) {
      const json = read(node, scene)
      if (json) values.push({ key: keyOf(json), json })
      else scene.report(site.path, 'unknown-concept', node)
    }
    return settle(values, site, scene)
  }

/** AdmsSkos and LabeledResource: `{label?, resource?}`. */
export const labelledResource = through(described)

/** Document: the same, and a media type is its own label. */
export const documentFormat = through((node, scene) => {
  const json = described(node, scene)
  if (!json || 'label' in json) return json
  const type = mediaTypeOf(node.value)
  return type === undefined ? json : { label: type, ...json }
})
