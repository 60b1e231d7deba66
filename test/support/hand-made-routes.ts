/** Routes and middleware outside of the endpoint table. */

import type { SourceFile } from './import-rules.ts'

/** Files that register middleware of their own, with the reason. */
export const allowedMiddleware: Readonly<Record<string, string>> = {
  'http/forwarding.ts': 'sends every request on, whatever its path',
  'http/app.ts': 'what every request passes: ids, deadlines, problems, headers',
  'http/endpoint.ts':
    'the guard of a GET that changes something precedes all endpoints of its path',
  'http/root.ts': 'while the platform starts every other address is 503',
  'portal/portal-app.ts':
    'IRIs of resources and other spellings of an address redirect before any page',
  'repository/endpoints/tombstone-endpoints.ts':
    'looks at failures of the endpoints: 404 becomes 410',
  'repository/versions/record-versions.ts': 'writes know the key of their request',
  'repository/resources/declared-resources.ts':
    'undeclared types are 404 before a key is asked for',
  'console/console-app.ts': 'headers of every answer, also of problems',
}

/** Registers a route on an app, or makes an app. */
const route =
  /\b(?:app|root|router)\.(?:get|post|put|patch|delete|all|on|openapi|route|mount|basePath)\(\s*(?:['"`[]|\{ \.\.\.|route\b|path\b)|new (?:OpenAPIHono|Hono)\b|\(app, '(?:get|post)'/
const middleware = /\bapp\.use\(/

/** Finds registrations in files that may not have them: `file: what`. */
export const handMadeRoutes = (
  files: readonly SourceFile[],
  allowed: Readonly<Record<string, string>> = allowedMiddleware,
): string[] =>
  files.flatMap(({ path, text }) => [
    ...(route.test(text) && !['http/endpoint.ts', 'http/app.ts'].includes(path)
      ? [`${path}: a route`]
      : []),
    ...(middleware.test(text) && !(path in allowed) ? [`${path}: middleware`] : []),
  ])
