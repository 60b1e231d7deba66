/** Vocabularies: the list of them, the concepts of one, and a concept with its labels and the datasets that use it. */

import type { Fields } from '../../text/json.ts'
import { html, joined, linkTo, type Content, type Markup } from '../html.ts'
import { chosenText, directionOf } from '../languages.ts'
import { crumbs, pathTo, searchTo, section, type PageContent, type PageContext } from '../page.ts'
import { entry } from '../parts/hits.ts'
import { readJson } from '../ports.ts'
import { fieldsOf, inLanguage, labelOf, labelText, listOf, plain } from '../record.ts'
import { search } from '../search-query.ts'

const perPage = 50
const mostLinks = 50

/** Vocabulary → parameter of the search form whose values are its concepts. */
const usedBy: Readonly<Record<string, string>> = {
  'data-theme': 'categories',
  'file-type': 'format',
  country: 'country',
  licence: 'license',
  subject: 'subject',
}

/** Throws `Refused` and `Failure`. */
export async function vocabulariesPage(context: PageContext): Promise<PageContent> {
  const { t, ports, signal } = context
  const ids = listOf(await readJson(ports.search, '/vocabularies', { signal })).flatMap(
    (id) => plain(id) ?? [],
  )
  const counted = await search(context, 'filters=vocabulary&limit=0')
  const items = new Map(counted.facets.get('vocabulary')?.map((item) => [item.id, item]))
  const rows = ids.map((id) => {
    const item = items.get(id)
    return html`<li> <a href="${pathTo(context, 'vocabularies', id)}"><span>${labelText(context, item?.title) ?? id}</span><span class="n">${context.formats.number(item?.count ?? 0)}<span class="vh"> ${t('concepts')}</span></span></a> </li>`
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

/** Concepts of one, fifty a page. Throws `Refused` and `Failure`. */
export async function vocabularyPage(
  context: PageContext,
  id: string,
  parameters: URLSearchParams,
): Promise<PageContent | undefined> {
  const { t, language, root } = context
  const page = Math.max(1, Math.min(200, Number(parameters.get('page')) || 1))
  const q = (parameters.get('q') ?? '').slice(0, 200)
  const query = new URLSearchParams({
    filters: 'vocabulary',
    vocabulary: id,
    limit: String(perPage),
    page: String(page - 1),
    sort: q === '' ? `pref_label.${language}+asc` : 'relevance',
    ...(q !== '' && { q }),
  })
  const found = await search(context, query.toString())
  if (found.count === 0 && q === '') return undefined
  const named = found.facets.get('vocabulary')?.find((item) => item.id === id)?.title
  const name = labelOf(context, named)?.text ?? id
  const items = found.records.map(
    (concept) =>
      html`<li> <a href="${pathTo(context, 'vocabularies', id, plain(concept['id']) ?? '')}"><span>${conceptName(context, concept)}</span></a> </li>`,
  )
  const step = (to: number, label: string, rel: string) =>
    html`<a href="${pathTo(context, 'vocabularies', id)}?page=${to}${q === '' ? '' : `&q=${encodeURIComponent(q)}`}" rel="${rel}">${label}</a>`
  return {
    title: name,
    body: html`${crumbs(context, [{ href: pathTo(context, 'vocabularies'), label: t('vocabularies') }])} <h1>${name}</h1> <p class="soft close" role="status">${t('n-concepts', { count: found.count })}</p> <search> <form class="searchbar" action="${pathTo(context, 'vocabularies', id)}"> <label class="vh" for="qv">${t('search-concepts')}</label><input type="search" id="qv" name="q" value="${q}" placeholder="${t('search-concepts')}"/><button class="button primary">${t('search')}</button> </form> </search> <ul class="index close" role="list"> ${items} </ul> <nav class="pages" aria-label="${t('pages')}"> ${page > 1 && step(page - 1, t('previous'), 'prev')}${page * perPage < found.count && step(page + 1, t('next'), 'next')} </nav> ${formatLinks(context, root, id)}`,
  }
}

const formatLinks = ({ t }: PageContext, root: string, id: string): Markup =>
  html`<p class="take close"> <span>${t('vocabulary-as')}</span>${(['ttl', 'jsonld', 'rdf'] as const).map((ending) => html`<a href="${root}api/hub/repo/vocabularies/${encodeURIComponent(id)}.${ending}">${{ ttl: 'Turtle', jsonld: 'JSON-LD', rdf: 'RDF/XML' }[ending]}</a>`)} </p>`

function conceptName(context: PageContext, concept: Fields): Content {
  const label = chosenText(concept['pref_label'], [context.language])
  return label ? inLanguage(context, label) : (plain(concept['id']) ?? context.t('untitled'))
}

/** A concept. Throws `Refused` and `Failure`. */
export async function conceptPage(
  context: PageContext,
  vocabulary: string,
  id: string,
): Promise<PageContent> {
  const { t, ports, signal, root, language } = context
  const body = await readJson(
    ports.search,
    `/vocabularies/${encodeURIComponent(vocabulary)}/${encodeURIComponent(id)}`,
    { signal },
  )
  const concept = fieldsOf(fieldsOf(body)['result'])
  const name = conceptName(context, concept)
  const parameter = usedBy[vocabulary]
  const uses =
    parameter === undefined
      ? undefined
      : await search(
          context,
          new URLSearchParams({
            filters: 'dataset',
            limit: '6',
            sort: 'modified+desc',
            aggregation: 'false',
            locale: language,
            facets: JSON.stringify({ [parameter]: [id] }),
          }).toString(),
        )
  const labels = Object.entries(fieldsOf(concept['pref_label'])).flatMap(([one, text]) =>
    plain(text) === undefined ? [] : [[one, plain(text) ?? ''] as const],
  )
  const links = (name_: string, key: string) =>
    relations(context, { vocabulary, label: t(name_), values: listOf(concept[key]) })
  return {
    title: labelOf(context, { label: concept['pref_label'], id })?.text ?? id,
    head: html`<link rel="canonical" href="${root}${language}/vocabularies/${encodeURIComponent(vocabulary)}/${encodeURIComponent(id)}"/>`,
    data: {
      '@context': 'https://schema.org',
      '@type': 'DefinedTerm',
      '@id': plain(concept['resource']),
      name: labelOf(context, { label: concept['pref_label'], id })?.text,
      termCode: id,
      inDefinedTermSet: plain(concept['in_scheme']),
    },
    body: html`${crumbs(context, [
      { href: pathTo(context, 'vocabularies'), label: t('vocabularies') },
      { href: pathTo(context, 'vocabularies', vocabulary), label: vocabulary },
    ])} <header class="title"> <h1>${name}</h1> ${uses && html`<p class="by">${t('used-by', { count: uses.count })}</p>`} </header> <dl class="pairs close"> <div> <dt>${t('code')}</dt> <dd><code>${id}</code></dd> </div> <div> <dt>${t('field-resource')}</dt> <dd>${linkTo(concept['resource'], html`<code>${plain(concept['resource'])}</code>`)}</dd> </div> ${links('broader', 'broader')}${links('narrower', 'narrower')}${links('exact-match', 'exact_match')} </dl> ${
      uses &&
      uses.count > 0 &&
      parameter !== undefined &&
      html`<section class="section" aria-labelledby="used"> <div class="section-head"> <h2 id="used">${t('datasets-with')}</h2> <a href="${searchTo(context, [[parameter, id]])}">${t('all-n', { count: uses.count })}</a> </div> <ul class="entries" role="list"> ${uses.records.map((record) => entry(context, record, joined([labelText(context, record['publisher']), context.formats.day(record['modified'])], ' · ')))} </ul> </section>`
    } ${
      labels.length > 1 &&
      section(
        'labels',
        t('in-n-languages', { count: labels.length }),
        html`<dl class="labels"> ${labels.map(
          ([one, text]) =>
            html`<div> <dt><abbr title="${context.formats.languageName(one)}">${one}</abbr></dt> <dd lang="${one}" dir="${directionOf(one)}">${text}</dd> </div>`,
        )} </dl>`,
      )
    }`,
  }
}

type Relation = {
  readonly vocabulary: string
  readonly label: string
  readonly values: readonly unknown[]
}

/** Concepts of the same vocabulary lead to their pages, others to their IRIs. */
function relations(context: PageContext, { vocabulary, label, values }: Relation): Content {
  if (values.length === 0) return false
  const shown = values.slice(0, mostLinks).map((one) => {
    const iri = plain(fieldsOf(one)['resource']) ?? plain(one) ?? ''
    const id = plain(fieldsOf(one)['id'])
    const name = labelText(context, one) ?? iri
    return id === undefined
      ? linkTo(iri, name)
      : html`<a href="${pathTo(context, 'vocabularies', vocabulary, id)}">${name}</a>`
  })
  return html`<div> <dt>${label}</dt> <dd>${joined(shown, ', ')}</dd> </div>`
}
