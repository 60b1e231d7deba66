/** Web pages and documents. */

import type { Term } from '@rdfjs/types'
import { compareCodePoints } from '../../../text/code-points.ts'
import { dct } from '../../../rdf/namespaces.ts'
import { formatOf } from '../concept/formats.ts'
import { objectOf, type Json, type JsonObject } from '../json.ts'
import { iriLike, settle, type Mapping, type Ranked, type Scene } from '../mapping.ts'
import { languageMap } from '../../../vocabularies/labels.ts'

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
