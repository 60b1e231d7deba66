/** The contract of the resources of declared types. */

import { createRoute, z } from '@hono/zod-openapi'
import * as answers from '../routes/parts/answers.ts'
import * as parameters from '../routes/parts/parameters.ts'
import { bodyOf, security } from '../routes/parts/requests.ts'
import type { DeclaredType } from './declared-types.ts'

const catalogue = z.object({
  catalogId: z.string().optional().openapi({
    description:
      'Of types that are in catalogues: the id of the catalogue. To create such a resource it is required, otherwise it restricts',
  }),
})

const put = catalogue.extend({ enforceUpdate: parameters.put.shape.enforceUpdate })

const id = z.string().openapi({
  description: 'When a resource is read, a suffix such as .ttl names the format of the answer',
  pattern: parameters.pathId,
})

/** The type is a parameter of the path, as everywhere that the platform is generic; the contract names the declared ones. */
function paramsOf(types: readonly DeclaredType[]) {
  const ids = types.map((one) => one.id)
  const type = z.string().openapi({
    enum: ids,
    description: types.map((one) => `${one.id}: ${one.name} (${one.typeUri})`).join('; '),
    ...(ids[0] !== undefined && { example: ids[0] }),
  })
  return { list: z.object({ type }), one: z.object({ type, id }) }
}

const path = '/customresources/{type}/{id}'

export function resourceRoutes(types: readonly DeclaredType[]) {
  const params = paramsOf(types)
  return {
    list: createRoute({
      method: 'get',
      path: '/customresources/{type}',
      summary: 'List the resources of a type that the profile declares',
      request: { params: params.list, query: parameters.list.extend(catalogue.shape) },
      responses: answers.list,
    }),
    read: createRoute({
      method: 'get',
      path,
      summary: 'Read a resource of a declared type',
      request: { params: params.one, query: catalogue },
      responses: answers.graph,
    }),
    ...writeRoutes(params.one, exampleOf(types[0])),
  }
}

function writeRoutes(params: ReturnType<typeof paramsOf>['one'], example: string) {
  return {
    put: createRoute({
      method: 'put',
      path,
      summary: 'Create or replace a resource of a declared type',
      security,
      request: { params, query: put, body: bodyOf(example) },
      responses: answers.write,
    }),
    remove: createRoute({
      method: 'delete',
      path,
      summary: 'Delete a resource of a declared type',
      security,
      request: { params, query: catalogue },
      responses: answers.removal,
    }),
    restore: createRoute({
      method: 'post',
      path: `${path}/restore`,
      summary: 'Restore a deleted resource of a declared type',
      security,
      request: { params },
      responses: answers.creation,
    }),
  }
}

const exampleOf = (type: DeclaredType | undefined) => `@prefix dct: <http://purl.org/dc/terms/> .

<> a <${type?.typeUri ?? ''}> ;
  dct:title "Gauges"@en .
`
