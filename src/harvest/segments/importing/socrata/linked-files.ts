/** Where an asset that is only a link leads to: its own description has that, the list of assets does not. */
import { Failure } from '../../../../errors.ts'
import { fieldsOf, plainText } from '../../../../vocabularies/loose-values.ts'
import type { Source } from '../../source.ts'
import { assetIn, isLink } from './entry-reader.ts'
import type { Site } from './site.ts'

/** Faults of one description, not of the source. */
const ownFaults = new Set<string>([
  'source-error',
  'source-html',
  'source-malformed',
  'source-empty',
  'too-large',
])

/**
 * The asset with the places it leads to, as it is when it leads nowhere or is gone, or why they are not known. Throws
 * what concerns the source as a whole.
 */
export async function withLinks(source: Source, value: unknown, site: Site): Promise<unknown> {
  const id = plainText(assetIn(value)['id'])
  if (id === undefined || !isLink(value, site)) return value
  const url = `${site.origin}/api/views/${encodeURIComponent(id)}.json`
  try {
    const answer = await source.json(url, { paged: false, accepts: [403, 404, 410] })
    if (answer.status >= 400) return value
    const { accessPoints, additionalAccessPoints, attachments } = fieldsOf(
      fieldsOf(answer.value)['metadata'],
    )
    const metadata = { accessPoints, additionalAccessPoints, attachments }
    return { ...fieldsOf(value), view: { metadata } }
  } catch (error) {
    if (error instanceof Failure && ownFaults.has(error.kind)) return error
    throw error
  }
}
