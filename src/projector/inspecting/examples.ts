/**
 * Example queries, written from a profile: what the documents of each index are made of, for a reader's own endpoint. Each is a
 * CONSTRUCT over the named graphs of records (SPARQL 1.1, 16.2) with one alternative per node that fields read: the property
 * path from the record to the node, and the predicates of the node that count.
 */

import type { Profile } from '../../profile/profile.ts'
import { dc, dcat, dcatap, dct, foaf, owl, prefixes, rdf } from '../../rdf/namespaces.ts'
import { mappingClasses } from '../mappings/classes.ts'
import type { Slot } from '../mappings/mapping.ts'
import { slotsOf } from '../mappings/slots.ts'

/** A query with the name of its file. */
type Example = { readonly name: string; readonly text: string }

/** What a catalogue is asked beside the fields of its own document. */
const ofCatalogue = ['title', 'language', 'spatial'].map((name) => dct(name).value)

const ofConcept = [
  ...(
    'skos:prefLabel skos:altLabel skos:definition skos:exactMatch skos:inScheme skos:topConceptOf skos:hasTopConcept ' +
    'foaf:homepage foaf:mbox opauthority:deprecated ctl:alpha2 ctl:assistant ctl:ending ctl:mediaType ctl:machineReadable ' +
    'ctl:nonProprietary'
  ).split(' '),
  ...[dc('identifier'), dct('identifier'), rdf('type'), owl('deprecated')].map(shortened),
]

const ofMetrics = (
  'dqv:hasQualityMeasurement dqv:isMeasurementOf dqv:computedOn dqv:computeOn dqv:value ' +
  'prov:generatedAtTime'
).split(' ')

/** One query per index, and one for the scores of datasets when the profile has a field for them. */
export function exampleQueries({ id, dataset, catalogue, resources }: Profile): readonly Example[] {
  const example = (name: string, what: string, graph: string, parts: readonly string[]) => {
    const title = `What documents of ${what} are made of, by the profile ${id}.`
    return { name, text: constructText(title, graph, parts) }
  }
  const datasets = slotsOf(dataset.fields)
  const embedded = filled(datasets, 'catalog')?.children.flatMap(({ paths }) => paths) ?? []
  const catalogues = branches(slotsOf(catalogue.fields), '$catalogue', [
    ...ofCatalogue,
    ...embedded,
  ])
  const ofNodes = (predicates: readonly string[]) => [
    `${values(predicates)} ?node ?property ?value`,
  ]
  const hasScores = dataset.fields.some(({ mapping }) => mapping === 'Metrics')
  return [
    example('dataset', 'datasets', 'dataset', branches(datasets, '$dataset')),
    example('catalogue', 'catalogues', 'catalogue', catalogues),
    example('concept', 'concepts', 'scheme', ofNodes(ofConcept)),
    ...(hasScores
      ? [example('metrics', 'datasets: their scores', 'metrics', ofNodes(ofMetrics))]
      : []),
    ...resources.map(({ id: type, shape }) => {
      const parts = branches(slotsOf(shape.fields), '$resource')
      return example(`resource-${type}`, `resources of the type ${type}`, 'resource', parts)
    }),
  ]
}

const filled = (slots: readonly Slot[], name: string) =>
  slots.find(({ fill, field }) => fill && field.name === name)

/** A prefixed name where the IRI has one. */
function shortened({ value: iri }: { readonly value: string }): string {
  for (const [prefix, namespace] of Object.entries(prefixes)) {
    const name = iri.slice(namespace.length)
    if (iri.startsWith(namespace) && /^[A-Za-z][\w-]*$/.test(name)) return `${prefix}:${name}`
  }
  return `<${iri}>`
}

const named = (iris: readonly string[]): readonly string[] =>
  [...new Set(iris)].sort().map((value) => shortened({ value }))

const values = (predicates: readonly string[]) =>
  `VALUES ?property {${predicates.map((name) => `\n        ${name}`).join('')}\n      }`

/** The alternatives of a record, from its root; `more` = predicates that the builder itself reads. */
function branches(slots: readonly Slot[], root: string, more: readonly string[] = []) {
  const record = filled(slots, 'catalog_record')
  const frame = [rdf('type').value, foaf('primaryTopic').value]
  const topic = `^${shortened(foaf('primaryTopic'))}`
  const law = values([shortened(dcatap('applicableLegislation'))])
  return [
    ...ofNode(slots, root, '', more),
    ...(record ? ofNode(record.children, root, topic, frame) : []),
    // The legislation of distributions makes a dataset a high-value one.
    ...(filled(slots, 'is_hvd')
      ? [`${root} ${shortened(dcat('distribution'))} ?node . ${law} ?node ?property ?value`]
      : []),
  ]
}

/**
 * The predicates that fields read of the node at the end of a property path (`''` = the root itself), the nodes that they read
 * whole, and the nodes embedded in it.
 */
function ofNode(
  slots: readonly Slot[],
  root: string,
  path: string,
  more: readonly string[] = [],
): readonly string[] {
  const own = [...slots.flatMap(({ paths, reads = [] }) => [...paths, ...reads]), ...more]
  const into = (iris: readonly string[]) => `${path && `${path}/`}(${named(iris).join('|')})`
  const reached = (depth: 1 | 2) =>
    slots
      .filter(({ field }) => (mappingClasses[field.mapping].reach ?? 0) >= depth)
      .flatMap(({ paths }) => paths)
  const [near, far] = [reached(1), reached(2)]
  const step = path ? `${root} ${path} ?node . ` : ''
  const triple = path ? '?node ?property ?value' : `${root} ?property ?own`
  const nested = slots.filter(({ field, paths }) => field.mapping === 'Nested' && paths.length > 0)
  return [
    ...(own.length > 0 ? [`${step}${values(named(own))} ${triple}`] : []),
    ...(near.length > 0 ? [`${root} ${into(near)} ?node . ?node ?property ?value`] : []),
    ...(far.length > 0
      ? [`${root} ${into(far)} ?part . ?part ?link ?node . ?node ?property ?value`]
      : []),
    ...nested.flatMap(({ children, paths }) => ofNode(children, root, into(paths))),
  ]
}

/** `$graph` stands for the records, each in a graph of its own name. */
function constructText(title: string, graph: string, parts: readonly string[]): string {
  const body = parts.map((part) => `    { ${part} }`).join(' UNION\n')
  const head = Object.entries(prefixes)
    .filter(([prefix]) => new RegExp(`(?<![\\w<])${prefix}:`).test(body))
    .map(([prefix, namespace]) => `PREFIX ${prefix}: <${namespace}>\n`)
    .join('')
  const own = body.includes('?own') ? `$${graph} ?property ?own . ` : ''
  return `# ${title}
# Put the IRIs of the graphs in the place of UNDEF. Written by \`npm run profile -- queries\`; do not edit.
${head}CONSTRUCT { ${own}?node ?property ?value }
WHERE {
  VALUES $${graph} { UNDEF }
  GRAPH $${graph} {
${body}
  }
}
`
}
