/** The contract of the reports. */

import { idForm } from '../../rdf/ids.ts'
import { createRoute, z } from '@hono/zod-openapi'
import { problem } from '../../http/contract/problem.ts'

const locale = z
  .string()
  .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/, 'a language code such as de')
  .default('en')
  .meta({ description: 'Language of titles and messages; the words of the report are English' })

const list = z.object({
  locale,
  order: z
    .enum(['best', 'worst'])
    .default('best')
    .meta({ description: 'Which catalogues come first' }),
  offset: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .meta({ description: 'Catalogues passed over; behind 0 the report is only their list' }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(50)
    .meta({ description: 'Catalogues of one page' }),
})

const text = { schema: z.string() }

const responses = {
  200: {
    description: 'The report, in the form that Accept or the suffix asks for',
    content: {
      'application/json': { schema: z.looseObject({ report: z.enum(['portal', 'catalogue']) }) },
      'text/html': text,
      'text/csv': text,
    },
  },
  304: { description: 'Not refreshed since the state named in If-None-Match' },
  400: problem('A parameter is not valid'),
  406: problem('No acceptable form'),
}

const portal = <Path extends string>(path: Path, form: string) =>
  createRoute({
    method: 'get',
    path,
    summary: `The quality report of all catalogues${form}`,
    request: { query: list },
    responses,
  })

export const reportRoutes = {
  portal: portal('/portal', ''),
  portalHtml: portal('/portal.html', ' as a page'),
  portalCsv: portal('/portal.csv', ' as CSV'),
  portalJson: portal('/portal.json', ' as JSON'),
  catalogue: createRoute({
    method: 'get',
    path: '/catalogues/{id}',
    summary: 'The quality report of one catalogue',
    request: {
      params: z.object({
        id: z.string().meta({
          description: 'Id of the catalogue; .html, .csv or .json may follow',
          pattern: `^${idForm}(\\.(html|csv|json))?$`,
        }),
      }),
      query: z.object({ locale }),
    },
    responses: { ...responses, 404: problem('The catalogue is unknown') },
  }),
}
