/** Concepts with labels in all languages. */

import { schemes } from '../../../vocabularies/concept.ts'
import { iriLike, settle, type Mapping, type Ranked } from '../mapping.ts'
import { multilingual } from './described.ts'

/** Theme: an IRI of any known vocabulary, or a code of the EU table; what is unknown is left out. */
export const theme: Mapping = (nodes, site, scene) => {
  const values: Ranked[] = []
  for (const node of nodes) {
    const iri = iriLike(node, scene)
    const isCode = iri === undefined && node.termType === 'Literal'
    const concept =
      iri === undefined
        ? isCode && scene.concepts.byCode(schemes.dataTheme, node.value.trim())
        : scene.concepts.find(iri)
    if (concept) values.push({ key: concept.iri, json: multilingual(concept) })
    else scene.report(site.path, 'unknown-concept', node)
  }
  return settle(values, site, scene)
}

/** HvdCategory, EuroVoc, GenericSkosMultiLang: of an unknown concept the IRI is kept. */
export const skosConcept: Mapping = (nodes, site, scene) => {
  const values: Ranked[] = []
  for (const node of nodes) {
    const iri = iriLike(node, scene)
    const concept = iri === undefined ? undefined : scene.concepts.find(iri)
    if (concept) values.push({ key: concept.iri, json: multilingual(concept) })
    else scene.report(site.path, 'unknown-concept', node)
    if (!concept && iri !== undefined) values.push({ key: iri, json: { resource: iri } })
  }
  return settle(values, site, scene)
}
