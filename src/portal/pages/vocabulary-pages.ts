/** Pages of vocabularies, of the concepts of one, and of a concept with its labels and the datasets that use it. */

import { type Fields, listed, textAt, textOr } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, joinHtml, linkTo } from '../html.ts'
import { directionOf } from '../translations.ts'
import type { PageContent } from '../layout.ts'
import { breadcrumbs, pageSection, pairList, rdfLinks } from '../parts/blocks.ts'
import { datasetsWith, pagedList, valueLinks } from '../parts/record-lists.ts'
import { fieldsAt } from '../record.ts'

const mostLinks = 50

/** Id of a vocabulary → facet whose values are its concepts. */
const facetOfVocabulary: Readonly<Record<string, string>> = {
  'data-theme': 'categories',
  'file-type': 'format',
  country: 'country',
  licence: 'license',
  subject: 'subject',
}

/** List of the vocabularies that have concepts (`valueLinks`). Rejects with `Failure`. */
export async function vocabulariesPage(context: PageContext): Promise<PageContent> {
  const { t } = context
  const links = await valueLinks(context, 'vocabularies', 'vocabulary', 'vocabulary')
  const empty = html`<p class="close">${t('no-vocabularies')}</p>`
  return { title: t('vocabularies'), body: html`<h1>${t('vocabularies')}</h1>${links || empty}` }
}

/** List of the concepts of a vocabulary; `undefined` for one without concepts. Rejects with `Failure`. */
export async function vocabularyPage(
  context: PageContext,
  id: string,
): Promise<PageContent | undefined> {
  const { t, language, nameOf, pathTo } = context
  const sort = `pref_label.${language}+asc`
  const scheme = await vocabularyOf(context, id)
  if (!scheme) return undefined
  const { result, body } = await pagedList(context, {
    params: { filters: 'vocabulary', sort, parameters: { vocabulary: id } },
    searchLabel: t('search-concepts'),
    style: 'index',
    item: (concept) => {
      const path = pathTo('vocabularies', id, textAt(concept, 'id') ?? '')
      return html`<li><a href="${path}"><span>${context.labelOf(concept)}</span></a></li>`
    },
  })
  const name = nameOf(scheme.title) ?? id
  return {
    title: name,
    body: html`${breadcrumbs(context, { href: pathTo('vocabularies'), label: t('vocabularies') })}<h1>${name}</h1>
      <p class="soft close" role="status">${t('n-concepts', { count: result.count })}</p>${body}
      ${vocabularyAs(context, id)}`,
  }
}

/** Page of a concept. Rejects with `Failure`. */
export async function conceptPage(
  context: PageContext,
  vocabulary: string,
  id: string,
): Promise<PageContent> {
  const { t, labelOf, nameOf, pathTo, readRecord, optional } = context
  const [concept, uses, scheme] = await Promise.all([
    readRecord(`vocabularies/${encodeURIComponent(vocabulary)}`, id),
    usesOf(context, vocabulary, id),
    optional(vocabularyOf(context, vocabulary)),
  ])
  const vocabularyLink = {
    href: pathTo('vocabularies', vocabulary),
    label: labelOf(scheme?.title) ?? vocabulary,
  }
  const size = scheme && html` (${t('n-concepts', { count: scheme.count })})`
  const count = uses?.result.count ?? 0
  const iri = textAt(concept, 'resource')
  const [broader, narrower, same] = await Promise.all(
    ['broader', 'narrower', 'exact_match'].map((name) =>
      related(context, vocabulary, listed(concept[name])),
    ),
  )
  const facts = [
    [t('code'), html`<code>${id}</code>`],
    [t('field-resource'), linkTo(iri, html`<code>${iri}</code>`)],
    [t('in-vocabulary'), html`<a href="${vocabularyLink.href}">${vocabularyLink.label}</a>${size}`],
    [t('broader'), broader],
    [t('narrower'), narrower],
    [t('exact-match'), same],
  ] as const
  const title = nameOf(concept) ?? id
  const steps = [{ href: pathTo('vocabularies'), label: t('vocabularies') }, vocabularyLink]
  return {
    title,
    section: 'data',
    canonical: `vocabularies/${encodeURIComponent(vocabulary)}/${encodeURIComponent(id)}`,
    data: {
      '@context': 'https://schema.org',
      '@type': 'DefinedTerm',
      '@id': iri,
      name: title,
      termCode: id,
      inDefinedTermSet: textAt(concept, 'in_scheme'),
    },
    body: html`${breadcrumbs(context, ...steps)}<header class="title"><h1>${labelOf(concept)}</h1>
      ${uses && html`<p class="by">${t('used-by', { count })}</p>`}</header>${pairList(facts, 'pairs close')}
      ${count > 0 && uses?.section} ${labels(context, concept)} ${vocabularyAs(context, vocabulary)}`,
  }
}

/** Links to the vocabulary in Turtle, JSON-LD and RDF/XML. */
function vocabularyAs({ t, root }: PageContext, id: string): HtmlMarkup {
  const address = `${root}api/hub/repo/vocabularies/${encodeURIComponent(id)}`
  return html`<p class="take close"><span>${t('vocabulary-as')}</span>${rdfLinks(address, ['ttl', 'jsonld', 'rdf'])}</p>`
}

/** Title of a vocabulary and number of its concepts; `undefined` where it has none. */
async function vocabularyOf({ find }: PageContext, id: string) {
  const parameters = { vocabulary: id }
  const { facets } = await find({
    filters: 'vocabulary',
    limit: 0,
    counted: ['vocabulary'],
    parameters,
  })
  return facets.get('vocabulary')?.find((entry) => entry.id === id)
}

/** Datasets that use a concept; `undefined` where no facet has the concepts of the vocabulary. */
async function usesOf(context: PageContext, vocabulary: string, value: string) {
  const facet = facetOfVocabulary[vocabulary]
  if (facet === undefined) return undefined
  const about = ({ publisher }: Fields) => context.labelOf(publisher)
  return datasetsWith(context, { facet, value, heading: context.t('datasets-with'), about })
}

/**
 * Links to the first `mostLinks` concepts: to the pages of those that the search finds in the same vocabulary, else to their
 * IRIs.
 */
async function related(
  { labelOf, pathTo, askOptional }: PageContext,
  vocabulary: string,
  iris: readonly unknown[],
): Promise<HtmlContent> {
  const links = iris.slice(0, mostLinks).map(async (iri) => {
    const query = new URLSearchParams({ resource: textOr(iri) ?? '' })
    const path = `/vocabularies/${encodeURIComponent(vocabulary)}/vocable?${query.toString()}`
    const concept = fieldsAt(await askOptional('search', path), 'result')
    const id = textAt(concept, 'id')
    return id === undefined
      ? linkTo(iri, textOr(iri))
      : html`<a href="${pathTo('vocabularies', vocabulary, id)}">${labelOf(concept)}</a>`
  })
  return joinHtml(await Promise.all(links), ', ')
}

/** Section with the preferred labels in all languages; nothing where there is only one. */
function labels({ t, formats }: PageContext, concept: Fields): HtmlContent {
  const rows = Object.entries(fieldsAt(concept, 'pref_label')).flatMap(([language, value]) => {
    const text = textOr(value)
    if (text === undefined) return []
    const name = html`<abbr title="${formats.languageName(language)}">${language}</abbr>`
    return [
      [name, html`<span lang="${language}" dir="${directionOf(language)}">${text}</span>`] as const,
    ]
  })
  const heading = t('in-n-languages', { count: rows.length })
  return rows.length > 1 && pageSection('labels', heading, pairList(rows, 'labels'))
}
