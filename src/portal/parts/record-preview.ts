/** A record that is not published yet, as its hit would look: read from its RDF, without what other services add. */

import type { Quad, Term } from '@rdfjs/types'
import { dcat, dct, rdf } from '../../rdf/namespaces.ts'
import type { Fields } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent } from '../html.ts'
import { pageSection } from './blocks.ts'
import { hit } from './hits.ts'

/** Records that are shown; a whole catalogue may be checked. */
const mostRecords = 5

/** Nothing where the RDF describes no dataset. */
export function recordPreviews(context: PageContext, quads: readonly Quad[]): HtmlContent {
  const datasets = quads.filter(
    ({ predicate, object }) => predicate.equals(rdf('type')) && object.equals(dcat('Dataset')),
  )
  // Grouped once: a text of two megabytes may have thousands of distributions.
  const bySubject = Map.groupBy(quads, ({ subject }) => subject.value)
  const hits = datasets
    .slice(0, mostRecords)
    .map(({ subject }) => hit(context, recordOf(bySubject, subject)))
  const list = html`<ol class="hits" role="list">${hits}</ol>`
  return hits.length > 0 && pageSection('look', context.t('would-look'), list)
}

function recordOf(bySubject: ReadonlyMap<string, readonly Quad[]>, subject: Term): Fields {
  const valuesOf = (node: Term, predicate: Term) =>
    (bySubject.get(node.value) ?? []).flatMap((one) =>
      one.predicate.equals(predicate) ? one.object : [],
    )
  const languageOf = (term: Term) => ('language' in term && term.language) || 'en'
  const texts = (predicate: Term) =>
    Object.fromEntries(valuesOf(subject, predicate).map((one) => [languageOf(one), one.value]))
  const ending = (term: Term | undefined) => term?.value.split('/').at(-1)
  return {
    title: texts(dct('title')),
    description: texts(dct('description')),
    identifier: [subject.value],
    modified: valuesOf(subject, dct('modified'))[0]?.value,
    distributions: valuesOf(subject, dcat('distribution')).map((node) => {
      const [[format], [licence]] = [valuesOf(node, dct('format')), valuesOf(node, dct('license'))]
      const iri = licence?.value
      return {
        format: { id: ending(format) },
        license: { id: ending(licence), label: iri, resource: iri },
      }
    }),
  }
}
