/** The kinds of objects in `deploy/kubernetes`, by the types that are made of the OpenAPI document of Kubernetes. */

import type { Deployment, StatefulSet } from 'kubernetes-types/apps/v1.d.ts'
import type { CronJob } from 'kubernetes-types/batch/v1.d.ts'
import type {
  Namespace,
  PersistentVolumeClaim,
  PodTemplateSpec,
  Service,
} from 'kubernetes-types/core/v1.d.ts'
import type { Ingress, NetworkPolicy } from 'kubernetes-types/networking/v1.d.ts'
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.d.ts'

/** Name of a kind → its type; `strictly` in `kubernetes-objects.ts` checks the files against them. */
export type Kinds = {
  CronJob: CronJob
  Deployment: Deployment
  Ingress: Ingress
  Namespace: Namespace
  NetworkPolicy: NetworkPolicy
  PersistentVolumeClaim: PersistentVolumeClaim
  PodDisruptionBudget: PodDisruptionBudget
  Service: Service
  StatefulSet: StatefulSet
}

export type KubernetesObject = Kinds[keyof Kinds]
export type Template = PodTemplateSpec
