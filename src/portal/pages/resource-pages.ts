/** Records of the types that an institution's own profile adds: the list of a type, and one record with all its fields. */

import type { PageContext } from '../context.ts'
import { html } from '../html.ts'
import type { PageContent } from '../page.ts'
import { crumbs, pageSection } from '../parts/blocks.ts'
import { metadataRows } from '../parts/metadata.ts'
import { pagedList } from '../parts/paged-list.ts'
import { proseOf } from '../parts/prose.ts'
import { listAt, memberFields, textAt, textOr } from '../record.ts'

type ResourceType = {
  readonly label: string
  /** Name of a field in records → what the profile calls it (`sh:name`). */
  readonly fields: ReadonlyMap<string, string>
}

/** The type as the profile declares it; `undefined` where it does not. Throws `ServiceRefusal` and `Failure`. */
async function typeOf(context: PageContext, type: string): Promise<ResourceType | undefined> {
  const profile = memberFields(await context.ask('search', '/profile'))
  const shape = listAt(profile, 'resources').find(({ id }) => id === type)
  if (!shape) return undefined
  const fields = listAt(shape, 'fields').flatMap(({ field, title }) => {
    const [id, name] = [textOr(field), textOr(title)]
    return id === undefined || name === undefined ? [] : [[id, name] as const]
  })
  return { label: textAt(shape, 'name') ?? type, fields: new Map(fields) }
}

/** Records of a type, fifty a page. Throws `ServiceRefusal` and `Failure`. */
export async function resourcesPage(
  context: PageContext,
  type: string,
  parameters: URLSearchParams,
): Promise<PageContent | undefined> {
  const { t, language, labelOf, pathTo, titleOf } = context
  const about = await typeOf(context, type)
  if (!about) return undefined
  const { found, body } = await pagedList(context, {
    query: { filters: `resource_${type}`, aggregation: 'false' },
    sort: `title.${language}+asc`,
    path: pathTo('resources', type),
    parameters,
    searchLabel: t('search'),
    style: 'entries',
    item: (record) => {
      const path = pathTo('resources', type, textAt(record, 'id') ?? '')
      return html`<li><h2><a href="${path}">${titleOf(record)}</a></h2>
        <p>${labelOf(record['catalog'])}</p></li>`
    },
  })
  return {
    title: about.label,
    body: html`<h1>${about.label}</h1>
      <p class="soft close" role="status">${t('n-records', { count: found.count })}</p> ${body}`,
  }
}

/** One record of a type. Throws `ServiceRefusal` and `Failure`. */
export async function resourcePage(
  context: PageContext,
  type: string,
  id: string,
): Promise<PageContent | undefined> {
  const { t, root, inLanguage, pathTo, plainTitle, textOf, titleOf, readRecord } = context
  const about = await typeOf(context, type)
  if (!about) return undefined
  const record = await readRecord(`resources/${encodeURIComponent(type)}`, id)
  const title = plainTitle(record)
  const description = textOf(record['description'], record)
  const address = `${encodeURIComponent(type)}/${encodeURIComponent(id)}`
  const formats = [
    ['Turtle', 'ttl'],
    ['JSON-LD', 'jsonld'],
    ['RDF/XML', 'rdf'],
  ].map(
    ([label, ending]) =>
      html`<a href="${root}api/hub/repo/customresources/${address}.${ending}">${label}</a>`,
  )
  return {
    title,
    canonical: `resources/${address}`,
    body: html`${crumbs(context, { href: pathTo('resources', type), label: about.label })}
      <header class="title"><h1>${titleOf(record)}</h1></header>
      <div class="prose close stack">${description && inLanguage(description, proseOf(description.text))}</div>
      ${pageSection('metadata', t('all-metadata'), metadataRows(context, record, about.fields))}
      <p class="take close"><span>${t('record-as')}</span>${formats}</p>`,
  }
}
