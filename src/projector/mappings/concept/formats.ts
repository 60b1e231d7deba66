/** File formats: concepts of the file-type table from IRIs, media types, codes, endings and common names. */

import type { Term } from '@rdfjs/types'
import type { JsonObject } from '../json.ts'
import { iriLike, isBlank, settle, type Mapping, type Ranked, type Scene } from '../mapping.ts'
import { normalised } from '../text/keywords.ts'
import { mediaTypeOf } from '../text/strings.ts'
import { labelled } from './described.ts'

function byMediaType(type: string, scene: Scene, resource?: string): JsonObject {
  const concept = scene.concepts.formatByMediaType(type)
  if (concept) return labelled(concept)
  return { id: type, label: type, ...(resource !== undefined && { resource }) }
}

function lastSegment(iri: string): string {
  const path = iri.replace(/[?#]+$/, '').replace(/\/+$/, '')
  const segment = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('#')) + 1)
  try {
    return decodeURIComponent(segment)
  } catch (cause) {
    if (cause instanceof URIError) return segment
    throw cause
  }
}

function byIri(iri: string, scene: Scene): JsonObject {
  const concept = scene.concepts.find(iri)
  if (concept) return labelled(concept)
  const type = mediaTypeOf(iri)
  if (type !== undefined) return byMediaType(type, scene, iri)
  const name = lastSegment(iri)
  return { id: name, label: name, resource: iri }
}

const topLevel =
  /^(?:application|audio|chemical|font|image|message|model|multipart|text|video|x-[a-z]+)\//

function byText(text: string, scene: Scene): JsonObject | undefined {
  const concept = scene.concepts.formatByText(text)
  if (concept) return labelled(concept)
  const type = mediaTypeOf(text)
  if (type !== undefined && topLevel.test(type)) return byMediaType(type, scene)
  const id = normalised(text)
  return id === '' ? undefined : { id, label: text }
}

/** The format that a term names; `undefined` for what names none. */
export function formatOf(node: Term, scene: Scene): JsonObject | undefined {
  const iri = iriLike(node, scene)
  if (iri !== undefined) return byIri(iri, scene)
  return node.termType === 'Literal' ? byText(node.value.trim(), scene) : undefined
}

/** Format: `{id, label, resource}`. */
export const format: Mapping = (nodes, site, scene) => {
  const values: Ranked[] = []
  for (const node of nodes) {
    if (isBlank(node, scene)) {
      scene.report(site.path, 'not-an-iri', node)
      continue
    }
    const json = formatOf(node, scene)
    const key = json?.['resource'] ?? json?.['id']
    if (json) values.push({ key: typeof key === 'string' ? key : '', json })
  }
  return settle(values, site, scene)
}
