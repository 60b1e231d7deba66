/** Vocabularies: the list of them, the concepts of one, and a concept with its labels and the datasets that use it. */

import { type Fields, listed, textAt, textOr } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, joinHtml, linkTo } from '../html.ts'
import { directionOf } from '../translations.ts'
import type { PageContent } from '../layout.ts'
import { breadcrumbs, pageSection, pairList, rdfLinks } from '../parts/blocks.ts'
import { datasetsWith, pagedList, valueLinks } from '../parts/record-lists.ts'
import { fieldsAt } from '../record.ts'

const mostLinks = 50

/** Vocabulary → facet whose values are its concepts. */
const usedBy: Readonly<Record<string, string>> = {
  'data-theme': 'categories',
  'file-type': 'format',
  country: 'country',
  licence: 'license',
  subject: 'subject',
}

/** All vocabularies with concepts. Throws `Failure`. */
export async function vocabulariesPage(context: PageContext): Promise<PageContent> {
  const { t } = context
  const links = await valueLinks(context, 'vocabularies', 'vocabulary', 'vocabulary')
  const empty = html`<p class="close">${t('no-vocabularies')}</p>`
  return { title: t('vocabularies'), body: html`<h1>${t('vocabularies')}</h1>${links || empty}` }
}

/** Concepts of one, fifty a page. Throws `Failure`. */
export async function vocabularyPage(
  context: PageContext,
  id: string,
): Promise<PageContent | undefined> {
  const { t, language, nameOf, pathTo } = context
  const sort = `pref_label.${language}+asc`
  const whole = await vocabularyOf(context, id)
  if (!whole) return undefined
  const { found, body } = await pagedList(context, {
    asked: { filters: 'vocabulary', sort, more: { vocabulary: id } },
    searchLabel: t('search-concepts'),
    style: 'index',
    item: (concept) => {
      const path = pathTo('vocabularies', id, textAt(concept, 'id') ?? '')
      return html`<li><a href="${path}"><span>${context.labelOf(concept)}</span></a></li>`
    },
  })
  const name = nameOf(whole.title) ?? id
  return {
    title: name,
    body: html`${breadcrumbs(context, { href: pathTo('vocabularies'), label: t('vocabularies') })}<h1>${name}</h1>
      <p class="soft close" role="status">${t('n-concepts', { count: found.count })}</p>${body}
      ${vocabularyAs(context, id)}`,
  }
}

/** A concept. Throws `Failure`. */
export async function conceptPage(
  context: PageContext,
  vocabulary: string,
  id: string,
): Promise<PageContent> {
  const { t, labelOf, nameOf, pathTo, readRecord, optional } = context
  const [concept, uses, whole] = await Promise.all([
    readRecord(`vocabularies/${encodeURIComponent(vocabulary)}`, id),
    usesOf(context, vocabulary, id),
    optional(vocabularyOf(context, vocabulary)),
  ])
  const above = {
    href: pathTo('vocabularies', vocabulary),
    label: labelOf(whole?.title) ?? vocabulary,
  }
  const size = whole && html` (${t('n-concepts', { count: whole.count })})`
  const count = uses?.found.count ?? 0
  const iri = textAt(concept, 'resource')
  const [broader, narrower, same] = await Promise.all(
    ['broader', 'narrower', 'exact_match'].map((name) =>
      related(context, vocabulary, listed(concept[name])),
    ),
  )
  const facts = [
    [t('code'), html`<code>${id}</code>`],
    [t('field-resource'), linkTo(iri, html`<code>${iri}</code>`)],
    [t('in-vocabulary'), html`<a href="${above.href}">${above.label}</a>${size}`],
    [t('broader'), broader],
    [t('narrower'), narrower],
    [t('exact-match'), same],
  ] as const
  const title = nameOf(concept) ?? id
  const steps = [{ href: pathTo('vocabularies'), label: t('vocabularies') }, above]
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

/** Links to the whole vocabulary in each format. */
function vocabularyAs({ t, root }: PageContext, id: string): HtmlMarkup {
  const address = `${root}api/hub/repo/vocabularies/${encodeURIComponent(id)}`
  return html`<p class="take close"><span>${t('vocabulary-as')}</span>${rdfLinks(address, ['ttl', 'jsonld', 'rdf'])}</p>`
}

/** Title of a vocabulary, and how many concepts it has; `undefined` where there are none. */
async function vocabularyOf({ find }: PageContext, id: string) {
  const more = { vocabulary: id }
  const { facets } = await find({ filters: 'vocabulary', limit: 0, counted: ['vocabulary'], more })
  return facets.get('vocabulary')?.find((one) => one.id === id)
}

/** Datasets that use a concept; nothing where no facet has values of its vocabulary. */
async function usesOf(context: PageContext, vocabulary: string, value: string) {
  const facet = usedBy[vocabulary]
  if (facet === undefined) return undefined
  const about = ({ publisher }: Fields) => context.labelOf(publisher)
  return datasetsWith(context, { facet, value, heading: context.t('datasets-with'), about })
}

/** Concepts of the same vocabulary lead to their pages, others to their IRIs. */
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

/** The preferred label in every language, where there are several. */
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
