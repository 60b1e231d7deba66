/** Binds the routes of figures and of their history. */

import { Failure, shown } from '../../../errors.ts'
import type { App, AppContext } from '../../../http/app.ts'
import { longAnswer } from '../../../http/shell/flow.ts'
import { aggregateDocument, historyDocument, type Form } from '../answering/documents.ts'
import { enveloped, invalidParameter } from '../answering/envelope.ts'
import { knownCatalogue } from '../answering/known.ts'
import { catalogueInfo, publisherInfo } from '../answering/rows.ts'
import { aggregateOf } from '../counting/aggregate.ts'
import { counter } from '../counting/tally.ts'
import type { Bound } from '../deps.ts'
import type { CatalogueFigures, PublisherFigures, Resolution, Scope, Span } from '../figures.ts'
import { dayOf } from '../file/history.ts'
import { figureRoutes, historyRoutes } from '../routes/figures.ts'

type Told = { readonly scope: Scope; readonly info: unknown }

const ofCountry = (code: string): Told => ({ scope: { country: code }, info: code })
const ofCatalogue = (catalogue: CatalogueFigures): Told => ({
  scope: { catalogue: catalogue.id },
  info: catalogueInfo(catalogue),
})
const ofPublisher = (publisher: PublisherFigures): Told => ({
  scope: { publisher: publisher.key },
  info: publisherInfo(publisher),
})
const portal: Told = { scope: 'global', info: undefined }

/** Throws for those that the last refresh did not find; a catalogue need not have figures yet. */
function finding(bound: Bound) {
  const { figures } = bound
  return {
    country: (id: string): Told => {
      const code = id.toUpperCase()
      if (figures.aggregate({ country: code })) return ofCountry(code)
      throw new Failure('not-found', `no catalogue is of the country ${shown(id)}`)
    },
    catalogue: async (id: string, signal: AbortSignal): Promise<Told> =>
      ofCatalogue(await knownCatalogue(bound, id, signal)),
    publisher: (key: string): Told => {
      const found = figures.publisher(key)
      if (found) return ofPublisher(found)
      throw new Failure('not-found', `there are no figures of a publisher ${shown(key)}`)
    },
  }
}

export function bindFigures(app: App, bound: Bound): void {
  const { figures, maxima, answer } = bound
  const find = finding(bound)
  // Before the first refresh the portal has figures of nothing, and so has a catalogue before it is counted.
  const nothing = aggregateOf(counter().tally(), maxima)
  const rows = (all: readonly Told[], filter: readonly string[] | undefined) =>
    all.map(({ scope, info }) =>
      aggregateDocument(figures.aggregate(scope) ?? nothing, info, filter),
    )
  const answerAll = (c: AppContext, all: () => readonly Told[], filter?: readonly string[]) =>
    longAnswer(c, () => answer(c, () => enveloped(rows(all(), filter))))

  app.openapi(figureRoutes.global, (c) => answerAll(c, () => [portal], c.req.valid('query').filter))
  app.openapi(figureRoutes.countries, (c) =>
    answerAll(c, () => figures.countries().map(ofCountry), c.req.valid('query').filter),
  )
  app.openapi(figureRoutes.country, (c) => {
    const found = find.country(c.req.valid('param').id)
    return answerAll(c, () => [found], c.req.valid('query').filter)
  })
  app.openapi(figureRoutes.catalogues, (c) =>
    answerAll(c, () => figures.catalogues().map(ofCatalogue), c.req.valid('query').filter),
  )
  app.openapi(figureRoutes.catalogue, async (c) => {
    const found = await find.catalogue(c.req.valid('param').id, c.var.signal)
    return answerAll(c, () => [found], c.req.valid('query').filter)
  })
  app.openapi(figureRoutes.publishers, (c) => {
    const { publisher, filter, offset, limit } = c.req.valid('query')
    if (publisher !== undefined) {
      const found = find.publisher(publisher)
      return answerAll(c, () => [found], filter)
    }
    return longAnswer(c, () =>
      answer(c, () => {
        const { count, rows: some } = figures.publishers({ offset, limit })
        return enveloped(rows(some.map(ofPublisher), filter), count)
      }),
    )
  })
}

type PastQuery = {
  readonly filter?: readonly string[] | undefined
  readonly startDate: string
  readonly endDate?: string | undefined
  readonly resolution: Resolution
}

export function bindHistory(app: App, bound: Bound, form: Form): void {
  const { figures, answer, now } = bound
  const find = finding(bound)
  const routes = historyRoutes(form)
  const spanOf = ({ startDate: from, endDate, resolution }: PastQuery): Span => {
    const to = endDate ?? dayOf(now())
    if (endDate !== undefined && endDate < from)
      throw invalidParameter('endDate', `endDate must not be before startDate, got ${endDate}`)
    return { from, to, resolution }
  }
  const past = (c: AppContext, query: PastQuery, all: () => readonly Told[]) => {
    const span = spanOf(query)
    const wish = { filter: query.filter, form }
    return longAnswer(c, () =>
      answer(c, () =>
        enveloped(
          all().map(({ scope, info }) => historyDocument(figures.history(scope, span), info, wish)),
        ),
      ),
    )
  }
  const one = (c: AppContext, query: PastQuery, found: Told) => past(c, query, () => [found])

  app.openapi(routes.global, (c) => one(c, c.req.valid('query'), portal))
  app.openapi(routes.countries, (c) =>
    past(c, c.req.valid('query'), () => figures.countries().map(ofCountry)),
  )
  app.openapi(routes.country, (c) =>
    one(c, c.req.valid('query'), find.country(c.req.valid('param').id)),
  )
  app.openapi(routes.catalogues, (c) =>
    past(c, c.req.valid('query'), () => figures.catalogues().map(ofCatalogue)),
  )
  app.openapi(routes.catalogue, async (c) =>
    one(c, c.req.valid('query'), await find.catalogue(c.req.valid('param').id, c.var.signal)),
  )
  app.openapi(routes.publisher, (c) =>
    one(c, c.req.valid('query'), find.publisher(c.req.valid('query').publisher)),
  )
}
