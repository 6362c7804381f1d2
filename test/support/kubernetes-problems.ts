// Finds the problems in a Kubernetes manifest.
// The validators of kubernetes-models find wrong and missing values, but they accept unknown keys.
// We find unknown keys by recording which keys a validator reads. A validator never reads a key that it does not know.

import { validate as deployment } from "kubernetes-models/_schemas/IoK8sApiAppsV1Deployment";
import { validate as statefulSet } from "kubernetes-models/_schemas/IoK8sApiAppsV1StatefulSet";
import { validate as configMap } from "kubernetes-models/_schemas/IoK8sApiCoreV1ConfigMap";
import { validate as claim } from "kubernetes-models/_schemas/IoK8sApiCoreV1PersistentVolumeClaim";
import { validate as service } from "kubernetes-models/_schemas/IoK8sApiCoreV1Service";
import { validate as networkPolicy } from "kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy";
import { validate as budget } from "kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget";

interface Validate {
  (data: unknown): boolean;
  errors?: { instancePath: string; message?: string; keyword: string; params: object }[] | null;
}

const VALIDATORS = {
  "apps/v1 Deployment": deployment,
  "apps/v1 StatefulSet": statefulSet,
  "v1 ConfigMap": configMap,
  "v1 PersistentVolumeClaim": claim,
  "v1 Service": service,
  "networking.k8s.io/v1 NetworkPolicy": networkPolicy,
  "policy/v1 PodDisruptionBudget": budget,
} as Record<string, unknown> as Record<string, Validate>;

export function kubernetesProblems(manifest: Record<string, unknown>): string[] {
  const kind = `${String(manifest["apiVersion"])} ${String(manifest["kind"])}`;
  const validate = VALIDATORS[kind];
  if (!validate) return [`${kind}: no such kind is known here`];
  const unseen: (() => string[])[] = [];
  const isRight = validate(recordReads(manifest, "", unseen));
  const wrong = (validate.errors ?? []).map(
    ({ instancePath, keyword, params }) => `${instancePath} ${keyword} ${JSON.stringify(params)}`,
  );
  return [...(isRight ? [] : wrong), ...unseen.flatMap((keys) => keys())];
}

/** Wraps a value to record which keys are read. Each function in `unseen` lists the keys that were never read. */
function recordReads(value: unknown, path: string, unseen: (() => string[])[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item, index) => recordReads(item, `${path}/${index}`, unseen));
  const seen = new Set<string>();
  const inner = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, recordReads(item, `${path}/${key}`, unseen)]),
  );
  unseen.push(() =>
    Object.keys(inner)
      .filter((key) => !seen.has(key))
      .map((key) => `${path} has an unknown key: ${key}`),
  );
  return new Proxy(inner, {
    get(target, key) {
      seen.add(String(key));
      return Reflect.get(target, key);
    },
  });
}
