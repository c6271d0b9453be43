"""What the pages about versions draw."""

from django import template

from console.history import drawing

register = template.Library()

register.simple_tag(drawing.draw, name="graph")
