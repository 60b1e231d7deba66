/** 410 in place of 404: what was deleted and can be restored is told apart from what never was. */

import { Failure, type Kind } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { splitSuffix } from '../../rdf/media-types.ts'
import { isPresent } from '../deleting/members.ts'
import type { Tombstone } from '../deleting/tombstones.ts'
import type { RouteContext } from './route-context.ts'

const places: Readonly<Record<Tombstone['kind'], string>> = {
  dataset: '/datasets',
  catalogue: '/catalogues',
  resource: '/customresources',
}

/** Says when a resource was deleted, until when it can be restored, and what it was. */
function gone(tombstone: Tombstone): Failure {
  const { kind, id, catalogue, originalId, deletedAt, restorableUntil } = tombstone
  const place = `${places[kind]}/${id}`
  const detail = `the ${kind} "${id}" was deleted at ${deletedAt}; POST ${place}/restore brings it back until ${restorableUntil}`
  const members = { deletedAt, restorableUntil, ...(catalogue !== '' && { catalogue }) }
  return new Failure('gone', detail, {
    members: { ...members, ...(originalId !== undefined && { originalId }) },
  })
}

/** Failures that may mean a deleted dataset: a part of it cannot be found either. */
const missing: readonly string[] = [
  'unknown-dataset',
  'unknown-record',
  'unknown-metrics',
  'unknown-distribution',
]

/** To be called before the routes are bound: looks at what they could not find. */
export function answerWhatIsGone(context: RouteContext): void {
  const { app, tombstones } = context

  const byOrigin = (c: AppContext, kind: Kind, catalogue: string, originalId: string) => {
    const asked = kind === 'unknown-dataset' || kind === 'unknown-catalogue'
    // A PUT creates what is not there.
    return asked && c.req.method !== 'PUT' ? tombstones.ofOrigin(catalogue, originalId) : undefined
  }
  const ofOrigin: Finding = (c, { id, kind }) =>
    byOrigin(c, kind, id, c.req.query('originalId') ?? '')
  const ofDataset: Finding = (c, { id, kind }) => {
    const catalogue = c.req.query('catalogue')
    // The deprecated form names the id at the origin.
    if (catalogue !== undefined && isPlain(c.req.path)) return byOrigin(c, kind, catalogue, id)
    return missing.includes(kind) ? tombstones.find('dataset', splitSuffix(id).id) : undefined
  }
  const ofCatalogue: Finding = (c, { id, kind }) =>
    kind === 'unknown-catalogue' && isWhole(c.req.path)
      ? tombstones.find('catalogue', splitSuffix(id).id)
      : undefined

  const ofResource: Finding = (c, { id, kind }) => {
    const type = c.req.path.split('/')[2] ?? ''
    const asked = kind === 'unknown-resource' && c.req.method !== 'PUT'
    return asked ? tombstones.find('resource', `${type}/${splitSuffix(id).id}`) : undefined
  }

  const tell = (path: string, find: Finding) =>
    app.use(path, async (c, next) => {
      // Asked before the route runs: afterwards the parameters are those of the route.
      const id = c.req.param('id') ?? ''
      await next()
      if (!(c.error instanceof Failure)) return
      const found = find(c, { id, kind: c.error.kind })
      if (!found || (await isPresent(context, found, c.get('signal')))) return
      c.res = undefined
      throw gone(found)
    })
  tell('/datasets/:id/*', ofDataset)
  tell('/records/:id', ofDataset)
  tell('/catalogues/:id/*', ofCatalogue)
  tell('/catalogues/:id/datasets/origin', ofOrigin)
  tell('/customresources/:type/:id', ofResource)
}

/** The tombstone of what a request could not find; `id` is that of its path. */
type Finding = (
  c: AppContext,
  missed: { readonly id: string; readonly kind: Kind },
) => Tombstone | undefined

/** Whether a path is that of a catalogue, of the list of its datasets or of its dump. */
const isWhole = (path: string) => /^\/catalogues\/[^/]+(\/datasets|\/dump(\.\w+)?)?$/.test(path)

const isPlain = (path: string) => /^\/datasets\/[^/]+$/.test(path)
