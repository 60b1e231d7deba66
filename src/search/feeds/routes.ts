/** The contract of the feeds. */

import { createRoute, z } from '@hono/zod-openapi'
import { problem } from '../../http/contract/problem.ts'
import { queryParameters } from '../routes/parameters.ts'
import { atomType } from './atom.ts'
import { boost, feedParameters } from './parameters.ts'
import { rssType } from './rss.ts'

const feed = (form: string, summary: string, type: string) =>
  createRoute({
    method: 'get',
    path: `/{lang}/feeds/datasets.${form}`,
    summary,
    parameters: queryParameters().filter(
      ({ name }) => feedParameters.has(name) || name.startsWith(boost),
    ),
    request: {
      params: z.object({
        lang: z.string().meta({ description: 'Language of the texts: en, de, fr, …' }),
      }),
    },
    responses: {
      200: { description: 'The feed', content: { [type]: { schema: z.string() } } },
      304: { description: 'Not changed since the state named in If-None-Match' },
      default: problem(),
    },
  })

export const feedRoutes = {
  atom: feed('atom', 'Datasets as an Atom feed (RFC 4287), the last changed first', atomType),
  rss: feed('rss', 'Datasets as an RSS 2.0 feed, the last changed first', rssType),
}
