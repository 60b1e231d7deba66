/** The contract of the sitemap. */

import { createRoute, z, type RouteConfig } from '@hono/zod-openapi'
import { problem } from '../../http/contract/problem.ts'

export const xml = 'application/xml'

const responses = (description: string): RouteConfig['responses'] => ({
  200: { description, content: { [xml]: { schema: z.string() } } },
  304: { description: 'Not changed since the state named in If-None-Match' },
  503: problem('The sitemap is being made'),
  default: problem(),
})

export const sitemapRoutes = {
  sitemap: createRoute({
    method: 'get',
    path: '/sitemap',
    summary: 'Index of the sitemap (sitemaps.org)',
    responses: responses('Addresses of the pages of the sitemap'),
  }),
  page: createRoute({
    method: 'get',
    path: '/sitemap/{n}',
    summary: 'One page of the sitemap: up to 10,000 addresses of catalogues and datasets',
    request: { params: z.object({ n: z.string().meta({ description: '1, 2, …' }) }) },
    responses: responses('Addresses with their last change and their languages'),
  }),
}
