/** Endpoints of previews: the page of a record as it would be, for people of the desk and for readers with a link. */

import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { anyone, pageEndpoint } from '../../http/endpoint.ts'
import { type Fields, memberFields, textAt, textOr } from '../../text/json.ts'
import { mostEntries, type PageContext } from '../context.ts'
import { html, type HtmlContent, icon } from '../html.ts'
import type { MaybePage } from '../layout.ts'
import { catalogueView } from '../pages/catalogue-pages.ts'
import { datasetView } from '../pages/dataset-page.ts'
import { resourceView } from '../pages/resource-pages.ts'
import { leftOutTable } from '../parts/findings.ts'
import type { PortalServices } from '../portal-services.ts'
import { fieldsAt } from '../record.ts'
import { stewardContext, withSession } from '../steward-endpoints.ts'
import { draftPath, placeOf } from './drafts.ts'

/** Where a draft is read and its document is made. */
type Source = {
  readonly repository: 'deskRepository' | 'repository'
  readonly search: 'deskSearch' | 'searchAdmin'
  readonly path: string
}

/** Draft as the search would show it. */
type Shown = {
  readonly type: string
  /** Answer of the search; absent where it would not show the record, because its catalogue is hidden. */
  readonly answer: Fields | undefined
}

/** Reads a draft and the document that it would become. Rejects with `not-found`. */
async function readShown(c: AppContext, context: PageContext, source: Source): Promise<Shown> {
  const signal = c.get('signal')
  const read = (type: string) =>
    context.ask(source.repository, source.path, { signal, headers: { Accept: type } })
  const [about, lines] = [await read('application/json'), await read('application/n-triples')]
  const type = textAt(about, 'type') ?? ''
  const query = new URLSearchParams({
    type,
    id: textAt(about, 'id') ?? '',
    catalogue: textAt(about, 'catalogue') ?? '',
    locale: context.language,
    most: String(mostEntries),
  })
  if (query.get('catalogue') === '') query.delete('catalogue')
  const body = textOr(lines) ?? ''
  const headers = { 'Content-Type': 'application/n-triples' }
  const init = { method: 'POST', signal, headers, body }
  const answer = context.ask(source.search, `/preview?${query.toString()}`, init)
  return {
    type,
    answer: await answer.then(memberFields, (error: unknown) => {
      if (error instanceof Failure && error.kind === 'conflict') return undefined
      throw error
    }),
  }
}

/** Page of a draft as it would be, below a band that says that it is not public; `details` end the band. */
async function previewOf(page: PageContext, shown: Shown, details: HtmlContent): MaybePage {
  const { t } = page
  // Previews of files are read at addresses of published records.
  const context = { ...page, config: { ...page.config, preview: false } }
  const record = fieldsAt(shown.answer, 'result.record')
  const content = !shown.answer
    ? { title: t('draft-preview'), body: html`<h1>${t('draft-preview-hidden')}</h1>` }
    : shown.type === 'datasets'
      ? datasetView(context, record)
      : shown.type === 'catalogues'
        ? await catalogueView(context, textAt(record, 'id') ?? '', record)
        : await resourceView(context, shown.type, record)
  const band = html`<div class="notice warn">${icon('triangle-alert')}<div><p><strong>${t('draft-preview')}</strong></p><p>${t('draft-preview-hint')}</p>${details}</div></div>`
  return (
    content && {
      ...content,
      title: `${t('draft-preview')}: ${content.title}`,
      isIndexed: false,
      isStored: false,
      body: [band, content.body],
    }
  )
}

/** Endpoints of previews. */
export const previewEndpoints = [
  pageEndpoint<PortalServices>({
    path: '/:language/desk/:type/:id/preview',
    operation: 'getDraftPreview',
    tag: 'desk',
    summary: 'The page of a draft as it would be',
    auth: withSession,
    page: async (c, { contextOf, respond }) => {
      const place = placeOf(c)
      const path = draftPath(place)
      const source = { repository: 'deskRepository', search: 'deskSearch', path } as const
      const shown = await readShown(c, stewardContext(await contextOf(c)), source)
      return respond(c, async (page) => {
        const back = page.pathTo('desk', place.type, place.id, 'check')
        const link = html`<p><a href="${back}">${page.t('draft-preview-back')}</a></p>`
        const content = await previewOf(page, shown, link)
        return content && { ...content, body: [content.body, leftOutTable(page, shown.answer)] }
      })
    },
  }),
  pageEndpoint<PortalServices>({
    path: '/:language/preview/:type/:id/:token',
    operation: 'getSharedPreview',
    tag: 'desk',
    summary: 'The page of a draft as it would be, for readers with a link',
    auth: anyone,
    page: async (c, { contextOf, respond }) => {
      const { type = '', id = '', token = '' } = c.req.param()
      const path = draftPath({ type, id, catalogue: '' }, `/shared/${encodeURIComponent(token)}`)
      const source = { repository: 'repository', search: 'searchAdmin', path } as const
      const shown = await readShown(c, await contextOf(c), source)
      return respond(c, (page) => previewOf(page, shown, false))
    },
  }),
]
