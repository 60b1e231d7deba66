/** Concepts of small EU tables with their English label: access rights, frequencies, types. */

import type { Term } from '@rdfjs/types'
import { schemes, type Concept } from '../../../vocabularies/concept.ts'
import type { JsonObject } from '../json.ts'
import { iriLike, settle, type Mapping, type Ranked, type Scene } from '../mapping.ts'
import { labelled } from './described.ts'

function conceptOf(node: Term, iri: string | undefined, scheme: string, scene: Scene) {
  if (iri !== undefined) return scene.concepts.find(iri)
  return node.termType === 'Literal' ? scene.concepts.byCode(scheme, node.value.trim()) : undefined
}

/** What is left of a value that is in no vocabulary. */
type Unknown = (literal: string) => JsonObject | undefined

const fromTable =
  (scheme: string, unknown: Unknown): Mapping =>
  (nodes, site, scene) => {
    const values: Ranked[] = []
    for (const node of nodes) {
      const iri = iriLike(node, scene)
      const concept: Concept | undefined = conceptOf(node, iri, scheme, scene)
      if (concept) {
        values.push({ key: concept.iri, json: labelled(concept) })
        continue
      }
      const text = node.value.trim()
      const literal = node.termType === 'Literal' ? unknown(text) : undefined
      const json = iri === undefined ? literal : { resource: iri }
      if (json !== literal || json === undefined) scene.report(site.path, 'unknown-concept', text)
      if (json) values.push({ key: text, json })
    }
    return settle(values, site, scene)
  }

const asLabel: Unknown = (label) => ({ label })
const leftOut: Unknown = () => undefined

export const accessRight = fromTable(schemes.accessRight, asLabel)
export const frequency = fromTable(schemes.frequency, asLabel)
export const datasetType = fromTable(schemes.datasetType, leftOut)
export const distributionType = fromTable(schemes.distributionType, leftOut)
