/** Runs that somebody has to look at, as a feed for those who do not want to look for them. */

import { feedFormats } from '../../../http/feed-formats.ts'
import type { StewardContext } from '../../context.ts'
import { textAt } from '../../record.ts'
import { type HarvestRun, visibleRuns } from './runs.ts'

const mostEntries = 50

/** Failed, incomplete, held and interrupted runs, the newest first, as Atom (RFC 4287). Rejects with `ServiceRefusal` and `Failure`. */
export async function failureFeed(context: StewardContext): Promise<string> {
  const { t, language, root, place, config, pathTo, configuredText } = context
  const entryOf = ({ fields, path, pipe, label, cause }: HarvestRun) => {
    const page = new URL(path, root).href
    const time = ['endTime', 'startTime', 'created'].flatMap((key) => textAt(fields, key) ?? [])[0]
    return {
      iri: page,
      page,
      isHtml: true,
      title: { text: `${pipe}: ${label}`, language },
      summary: cause === undefined ? cause : { text: cause, language },
      updated: new Date(time ?? 0),
    }
  }
  const runs = (await visibleRuns(context)).filter(
    ({ rank, fields }) => rank <= 2 && fields['status'] !== 'cancelled',
  )
  const entries = runs.slice(0, mostEntries).map(entryOf)
  const name = configuredText(config.name)
  const self = `${root}${language}/${place}`
  return feedFormats.atom.write({
    language,
    title: `${t('failures-feed')} – ${name}`,
    description: '',
    author: name,
    site: new URL(pathTo('harvest'), root).href,
    pages: { feed: self, self, first: self, last: self },
    updated: entries[0]?.updated ?? new Date(0),
    entries,
  })
}
