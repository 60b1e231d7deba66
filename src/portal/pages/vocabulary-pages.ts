/** Vocabularies: the list of them, the concepts of one, and a concept with its labels and the datasets that use it. */

import type { Fields } from '../../text/json.ts'
import type { SearchQuery } from '../addresses.ts'
import type { PageContext } from '../context.ts'
import type { Found } from '../found.ts'
import { html, type HtmlContent, type HtmlMarkup, joined, linkTo } from '../html.ts'
import { chosenText, directionOf } from '../languages.ts'
import type { PageContent } from '../page.ts'
import { crumbs, headedSection, pageSection } from '../parts/blocks.ts'
import { entries } from '../parts/hits.ts'
import { pagedList } from '../parts/paged-list.ts'
import { fieldsAt, listed, textAt, textOr } from '../record.ts'

const mostLinks = 50

/** Vocabulary → parameter of the search form whose values are its concepts. */
const usedBy: Readonly<Record<string, string>> = {
  'data-theme': 'categories',
  'file-type': 'format',
  country: 'country',
  licence: 'license',
  subject: 'subject',
}

/** Throws `ServiceRefusal` and `Failure`. */
export async function vocabulariesPage(context: PageContext): Promise<PageContent> {
  const { t, labelOf, pathTo, find, ask } = context
  const ids = listed(await ask('search', '/vocabularies')).flatMap((id) => textOr(id) ?? [])
  const counted = await find('filters=vocabulary&limit=0')
  const items = new Map(counted.facets.get('vocabulary')?.map((item) => [item.id, item]))
  const rows = ids.map((id) => {
    const item = items.get(id)
    return html`<li> <a href="${pathTo('vocabularies', id)}"><span>${labelOf(item?.title) ?? id}</span><span class="n">${context.formats.number(item?.count ?? 0)}<span class="vh">
      ${t('concepts')}</span></span></a> </li>`
  })
  return {
    title: t('vocabularies'),
    body: html`<h1>${t('vocabularies')}</h1> ${
      rows.length === 0
        ? html`<p class="close">${t('no-vocabularies')}</p>`
        : html`<ul class="index close" role="list"> ${rows} </ul>`
    }`,
  }
}

/** Concepts of one, fifty a page. Throws `ServiceRefusal` and `Failure`. */
export async function vocabularyPage(
  context: PageContext,
  id: string,
  parameters: URLSearchParams,
): Promise<PageContent | undefined> {
  const { t, language, root, nameOf, pathTo } = context
  const { found, q, body } = await pagedList(context, {
    query: { filters: 'vocabulary', vocabulary: id },
    sort: `pref_label.${language}+asc`,
    path: pathTo('vocabularies', id),
    parameters,
    searchLabel: t('search-concepts'),
    style: 'index',
    item: (concept) => {
      const path = pathTo('vocabularies', id, textAt(concept, 'id') ?? '')
      return html`<li><a href="${path}"><span>${conceptName(context, concept)}</span></a></li>`
    },
  })
  if (found.count === 0 && q === '') return undefined
  const named = found.facets.get('vocabulary')?.find((item) => item.id === id)?.title
  const name = nameOf(named) ?? id
  const steps = [{ href: pathTo('vocabularies'), label: t('vocabularies') }]
  return {
    title: name,
    body: html`${crumbs(context, ...steps)} <h1>${name}</h1>
      <p class="soft close" role="status">${t('n-concepts', { count: found.count })}</p>
      ${body} ${formatLinks(context, root, id)}`,
  }
}

const formatLinks = ({ t }: PageContext, root: string, id: string): HtmlMarkup =>
  html`<p class="take close">
    <span>${t('vocabulary-as')}</span>${(['ttl', 'jsonld', 'rdf'] as const).map((ending) => html`<a href="${root}api/hub/repo/vocabularies/${encodeURIComponent(id)}.${ending}">${{ ttl: 'Turtle', jsonld: 'JSON-LD', rdf: 'RDF/XML' }[ending]}</a>`)}
    </p>`

function conceptName(context: PageContext, concept: Fields): HtmlContent {
  const label = chosenText(concept['pref_label'], [context.language])
  return label ? context.inLanguage(label) : (textAt(concept, 'id') ?? context.t('untitled'))
}

/** A concept. Throws `ServiceRefusal` and `Failure`. */
export async function conceptPage(
  context: PageContext,
  vocabulary: string,
  id: string,
): Promise<PageContent> {
  const { t, nameOf, pathTo, ask } = context
  const body = await ask(
    'search',
    `/vocabularies/${encodeURIComponent(vocabulary)}/${encodeURIComponent(id)}`,
  )
  const concept = fieldsAt(body, 'result')
  const name = conceptName(context, concept)
  const uses = await usesOf(context, vocabulary, id)
  const links = (name_: string, key: string) =>
    relations(context, { vocabulary, label: t(name_), values: listed(concept[key]) })
  return {
    title: nameOf({ label: concept['pref_label'], id }) ?? id,
    canonical: `vocabularies/${encodeURIComponent(vocabulary)}/${encodeURIComponent(id)}`,
    data: {
      '@context': 'https://schema.org',
      '@type': 'DefinedTerm',
      '@id': textAt(concept, 'resource'),
      name: nameOf({ label: concept['pref_label'], id }),
      termCode: id,
      inDefinedTermSet: textAt(concept, 'in_scheme'),
    },
    body: html`${crumbs(
      context,
      { href: pathTo('vocabularies'), label: t('vocabularies') },
      { href: pathTo('vocabularies', vocabulary), label: vocabulary },
    )} <header class="title"> <h1>${name}</h1> ${uses && html`<p class="by">${t('used-by', { count: uses.found.count })}</p>`} </header> <dl class="pairs close"> <div> <dt>${t('code')}</dt> <dd><code>${id}</code></dd> </div> <div> <dt>${t('field-resource')}</dt> <dd>${linkTo(concept['resource'], html`<code>${textAt(concept, 'resource')}</code>`)}</dd> </div> ${links('broader', 'broader')}${links('narrower', 'narrower')}${links('exact-match', 'exact_match')} </dl> ${usesSection(context, uses)} ${labelsSection(context, concept)}`,
  }
}

type Uses = { readonly query: SearchQuery; readonly found: Found }

/** Datasets that use a concept; `undefined` where no facet has values of its vocabulary. */
async function usesOf(
  context: PageContext,
  vocabulary: string,
  id: string,
): Promise<Uses | undefined> {
  const parameter = usedBy[vocabulary]
  if (parameter === undefined) return undefined
  const query = new URLSearchParams({
    filters: 'dataset',
    limit: '6',
    sort: 'modified+desc',
    aggregation: 'false',
    locale: context.language,
    facets: JSON.stringify({ [parameter]: [id] }),
  })
  return { query: [[parameter, id]], found: await context.find(query.toString()) }
}

function usesSection(context: PageContext, uses: Uses | undefined): HtmlContent {
  const { t, labelOf, searchTo } = context
  if (!uses || uses.found.count === 0) return false
  const { count, records } = uses.found
  const below = (record: Fields) => [
    labelOf(record['publisher']),
    context.formats.day(record['modified']),
  ]
  const all = [searchTo(uses.query), t('all-n', { count })] as const
  return headedSection('used', t('datasets-with'), all, entries(context, records, below))
}

function labelsSection(context: PageContext, concept: Fields): HtmlContent {
  const labels = Object.entries(fieldsAt(concept, 'pref_label')).flatMap(([one, value]) => {
    const text = textOr(value)
    return text === undefined ? [] : [[one, text] as const]
  })
  const rows = labels.map(
    ([one, text]) =>
      html`<div> <dt><abbr title="${context.formats.languageName(one)}">${one}</abbr></dt>
        <dd lang="${one}" dir="${directionOf(one)}">${text}</dd> </div>`,
  )
  const heading = context.t('in-n-languages', { count: labels.length })
  return (
    labels.length > 1 && pageSection('labels', heading, html`<dl class="labels"> ${rows} </dl>`)
  )
}

type Relation = {
  readonly vocabulary: string
  readonly label: string
  readonly values: readonly unknown[]
}

/** Concepts of the same vocabulary lead to their pages, others to their IRIs. */
function relations(context: PageContext, { vocabulary, label, values }: Relation): HtmlContent {
  if (values.length === 0) return false
  const shown = values.slice(0, mostLinks).map((one) => {
    const iri = textAt(one, 'resource') ?? textOr(one) ?? ''
    const id = textAt(one, 'id')
    const name = context.labelOf(one) ?? iri
    return id === undefined
      ? linkTo(iri, name)
      : html`<a href="${context.pathTo('vocabularies', vocabulary, id)}">${name}</a>`
  })
  return html`<div> <dt>${label}</dt> <dd>${joined(shown, ', ')}</dd> </div>`
}
