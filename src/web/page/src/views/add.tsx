export function Add() {
  return <h1>Add</h1>;
}
