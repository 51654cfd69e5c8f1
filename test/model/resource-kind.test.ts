import { expect, test } from "vitest";
import { SECRET_PREFIXES } from "../../provider/engine/secret-names";
import { kindOf } from "../../provider/model/resource-kind";
import { CLOUD_SIGNALING_OUTPUTS, cloudSignalingSchema } from "../../provider/resources/cloud-signaling/state";

test("a dynamic resource with every argument and output of a signaling is one, whatever its type", () => {
  const names = [...Object.keys(cloudSignalingSchema.shape), ...CLOUD_SIGNALING_OUTPUTS, SECRET_PREFIXES];
  const properties = Object.fromEntries(names.map((name) => [name, "x"]));
  expect(kindOf("pulumi-nodejs:dynamic:Resource", { ...properties, __provider: "", id: "x" })).toBe("CloudSignaling");
  expect(kindOf("pulumi-nodejs:dynamic:Resource", { ...properties, region: "x" })).toBe(undefined);
  expect(kindOf("aws:ec2/list:List", properties)).toBe(undefined);
});
