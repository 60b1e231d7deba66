/** What is other in the document of a dataset of which nothing but the scores is other. */

import type { Amendment } from '../../search-index/search-index.ts'
import type { Field } from '../../profile/fields.ts'
import { graphOf, type Graph } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import { columnsOf, flat, numberNames } from '../indexing/columns.ts'
import { indexFields, nothingIndexed } from '../indexing/index-fields.ts'
import { fieldsOf } from '../mappings/nested.ts'
import { slotsOf } from '../mappings/slots.ts'
import type { BuilderDeps } from './deps.ts'
import { facetReaders } from './facet-readers.ts'
import { sceneOf } from './scenes.ts'

type ScoresInput = {
  readonly id: string
  /** IRI of the dataset. */
  readonly iri: string
  readonly version: number
  readonly metrics: Graph
}

/** `undefined` where the whole document has to be built. */
export type ScoresBuilder = (input: ScoresInput) => Amendment | undefined

const isMetrics = ({ mapping }: Field) => mapping === 'Metrics'
const isInside = ({ children }: Field): boolean =>
  children.some((child) => isMetrics(child) || isInside(child))

/** Fields of datasets that are nothing but scores. */
export const scoreFields = (fields: readonly Field[]): readonly string[] =>
  fields.filter(isMetrics).map(({ name }) => name)

// Nothing of what scores become is told in a language.
const language = 'en'
const nothing = graphOf([])

/** By the rules of the profile for whole documents, of which those are left out that do not look at scores. */
export function scoresBuilder(deps: BuilderDeps): ScoresBuilder {
  const all = deps.profile.dataset.fields
  // Scores of distributions stand in lists, of which no part is changed.
  if (all.some(isInside)) return () => undefined
  const fields = all.filter(isMetrics)
  const [slots, columns] = [slotsOf(fields), columnsOf(fields)]
  const names = scoreFields(all)
  const isOfScores = (path: string) => names.some((name) => path.split('.')[0] === name)
  const readers = facetReaders(deps, 'dataset').filter(({ path }) => isOfScores(path))
  const noFields = Object.fromEntries(names.map((name) => [name, null]))
  const noNumbers = Object.fromEntries(
    flat(columns).flatMap((column) => numberNames(column).map((name) => [name, null])),
  )
  return ({ id, iri, version, metrics }) => {
    const { scene, reports } = sceneOf(deps, { id, iri, graph: nothing, language, metrics })
    const found = fieldsOf(namedNode(iri), slots, scene) ?? {}
    if (reports.length > 0) return undefined
    const indexed = nothingIndexed()
    indexFields(indexed, columns, found, [language])
    const facetScene = {
      language,
      nonCountries: deps.nonCountries,
      catalogueId: (other: string) => other,
    }
    const facets = readers.map(({ id: name, read }) => [name, read(found, facetScene)] as const)
    return {
      index: 'dataset',
      id,
      version,
      record: { ...noFields, ...found },
      numbers: { ...noNumbers, ...indexed.numbers },
      facets: Object.fromEntries(facets),
    }
  }
}
