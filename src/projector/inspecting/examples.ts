/** Example queries, written from a profile: what the documents of each index are made of, for a reader's own endpoint. */

import type { Profile } from '../../profile/fields.ts'
import { ctl, dc, dct, dqv, foaf, opauthority, owl, prov, rdf, skos } from '../../rdf/namespaces.ts'
import { slotsOf } from '../mappings/slots.ts'
import { rootAlternatives, type Alternative } from './patterns.ts'
import { constructText } from './construct-text.ts'

/** A query with the name of its file. */
export type Example = { readonly name: string; readonly text: string }

/** What a catalogue is asked beside the fields of its own document. */
const ofCatalogue = ['title', 'language', 'spatial'].map((name) => dct(name).value)

const ofConcept = [
  ...['prefLabel', 'altLabel', 'definition', 'exactMatch'].map((name) => skos(name).value),
  ...['inScheme', 'topConceptOf', 'hasTopConcept'].map((name) => skos(name).value),
  ...[dc('identifier'), dct('identifier'), rdf('type')].map(({ value }) => value),
  ...[foaf('homepage'), foaf('mbox')].map(({ value }) => value),
  ...[owl('deprecated'), opauthority('deprecated')].map(({ value }) => value),
  ...['alpha2', 'assistant', 'ending', 'mediaType', 'machineReadable', 'nonProprietary'].map(
    (name) => ctl(name).value,
  ),
]

const ofMetrics = [
  ...['hasQualityMeasurement', 'isMeasurementOf', 'computedOn', 'computeOn', 'value'].map(
    (name) => dqv(name).value,
  ),
  prov('generatedAtTime').value,
]

/** All subjects of a graph that holds nothing else. */
const anySubject = (subject: string, predicates: readonly string[]): readonly Alternative[] => [
  { steps: [], triple: [subject, 'p', 'o'], predicates: predicates.toSorted() },
]

/** One query per index, and one for the scores of datasets when the profile has a field for them. */
export function exampleQueries(profile: Profile): readonly Example[] {
  const said = (what: string) =>
    `What documents of ${what} are made of, by the profile ${profile.id}.`
  const datasets = slotsOf(profile.dataset.fields)
  const embedded = datasets.find(({ fill, field }) => fill && field.name === 'catalog')
  const inDatasets = embedded?.site.children.flatMap(({ paths }) => paths) ?? []
  const hasScores = profile.dataset.fields.some(({ mapping }) => mapping === 'Metrics')
  const example = (name: string, what: string, graph: string, parts: readonly Alternative[]) => ({
    name,
    text: constructText(said(what), graph, parts),
  })
  return [
    example('dataset', 'datasets', 'dataset', rootAlternatives(datasets, 'dataset')),
    example(
      'catalogue',
      'catalogues',
      'catalogue',
      rootAlternatives(slotsOf(profile.catalogue.fields), 'catalogue', [
        ...ofCatalogue,
        ...inDatasets,
      ]),
    ),
    example('concept', 'concepts', 'scheme', anySubject('concept', ofConcept)),
    ...(hasScores
      ? [example('metrics', 'datasets: their scores', 'metrics', anySubject('subject', ofMetrics))]
      : []),
    ...profile.resources.map(({ id, shape }) =>
      example(
        `resource-${id}`,
        `resources of the type ${id}`,
        'resource',
        rootAlternatives(slotsOf(shape.fields), 'resource'),
      ),
    ),
  ]
}
