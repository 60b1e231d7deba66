/** Catalogues by id, whether they were counted or not. */

import { Failure, shown } from '../../../errors.ts'
import type { CatalogueFigures, Figures } from '../figures.ts'
import { catalogueFacts, type Source } from '../refreshing/catalogues.ts'

type Known = { readonly figures: Pick<Figures, 'catalogue'>; readonly source: Source }

/** What the last refresh did not find may be in the store by now. Throws `unknown-catalogue`, also for hidden ones. */
export async function knownCatalogue(
  { figures, source }: Known,
  id: string,
  signal: AbortSignal,
): Promise<CatalogueFigures> {
  return figures.catalogue(id) ?? visibleCatalogue(source, id, signal)
}

/** As it is at this moment. Throws `unknown-catalogue`, also for hidden ones. */
export async function visibleCatalogue(
  source: Source,
  id: string,
  signal: AbortSignal,
): Promise<CatalogueFigures> {
  const { names } = source
  // Whoever asks for what can be no id shall not get as far as the store.
  if (names.idOf('catalogue', names.catalogue(id)) === undefined) throw unknownCatalogue(id)
  const found = (await catalogueFacts(source, [id], signal)).get(id)
  if (found === undefined || found === 'hidden') throw unknownCatalogue(id)
  return found
}

export const unknownCatalogue = (id: string) =>
  new Failure('unknown-catalogue', `there is no catalogue ${shown(id)}`)
